import type { AnswerRpc, RpcAnswer } from '../../../src/rpcAnswer.ts'
import type { FaultScope, Faults } from './faults.ts'

/** A fault that prevents an answer. Over HTTP it is a status 503 or a broken connection. */
export class NodeFaultError extends Error {
  constructor(
    /** Whether the node rejected the call or dropped the connection. */
    readonly kind: 'refused' | 'dropped',
  ) {
    super(kind === 'refused' ? 'the node rejects the call' : 'the node broke the connection')
  }
}

export type CallFaults = Pick<Faults, 'refuse' | 'delay' | 'drop' | 'reorder' | 'clear'>

type Call = () => RpcAnswer | Promise<RpcAnswer>
/** Answers a call, or not, with or without the node. */
type Fault = (call: Call) => Promise<RpcAnswer>

export function createCallFaults(
  answer: AnswerRpc,
  wait: (durationMs: number) => Promise<void>,
): { call: AnswerRpc; faults: CallFaults } {
  const active = new Set<ActiveFault>()
  const add = (scope: FaultScope, fault: Fault, end = () => {}): void => {
    active.add({ methods: scope.methods, left: scope.times ?? Number.POSITIVE_INFINITY, fault, end })
  }
  return {
    call: (method, params) => {
      const faults = [...active].filter(
        ({ left, methods }) => left > 0 && (methods?.includes(method) ?? true),
      )
      for (const each of faults) each.left -= 1
      // The newest fault is the outermost: it decides first whether the others see the call.
      let call: Call = () => answer(method, params)
      for (const { fault } of faults) {
        const inner = call
        call = () => fault(inner)
      }
      return call()
    },
    faults: {
      refuse: (scope = {}) => add(scope, async () => fail('refused')),
      delay: (durationMs, scope = {}) =>
        add(scope, async (call) => {
          await wait(durationMs)
          return call()
        }),
      drop: (what, scope = {}) =>
        add(scope, async (call) => {
          if (what === 'answer') await call()
          return fail('dropped')
        }),
      reorder(count, scope = {}) {
        const { hold, end } = holdBack(count)
        const fault: Fault = async (call) => {
          const given = await call()
          await hold()
          return given
        }
        add(scope, fault, end)
      },
      clear() {
        for (const { end } of active) end()
        active.clear()
      },
    },
  }
}

interface ActiveFault {
  /** Undefined for all methods. */
  readonly methods: readonly string[] | undefined
  /** Number of calls that it still affects. */
  left: number
  readonly fault: Fault
  /** Releases what the fault holds back. */
  readonly end: () => void
}

function fail(kind: NodeFaultError['kind']): never {
  throw new NodeFaultError(kind)
}

/** Delays calls until `count` are waiting, then releases them, newest first. */
function holdBack(count: number): { hold: () => Promise<void>; end: () => void } {
  let isOver = false
  let held: (() => void)[] = []
  const release = (): void => {
    const newestFirst = held.reverse()
    held = []
    for (const resolve of newestFirst) resolve()
  }
  return {
    hold: () =>
      new Promise((resolve) => {
        held.push(resolve)
        // Release asynchronously, because the last call is not waiting yet.
        if (isOver || held.length >= count) queueMicrotask(release)
      }),
    end() {
      isOver = true
      release()
    },
  }
}
