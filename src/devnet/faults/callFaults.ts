import { WattfeedError } from '../../errors.ts'
import type { AnswerRpc, RpcAnswer } from '../rpcAnswer.ts'
import type { FaultScope, Faults } from './faults.ts'

/** A node that was told not to answer. Over HTTP it is status 503 or a broken connection. */
export class NodeFaultError extends WattfeedError {
  static override readonly name = 'NodeFaultError'
  readonly code = 'node_fault'
  readonly retryable = true

  constructor(readonly kind: 'refused' | 'dropped') {
    super(kind === 'refused' ? 'the node refuses every call' : 'the node broke the connection')
  }
}

/** Faults that lie in how calls are answered, not in what is answered. */
export type CallFaults = Pick<Faults, 'refuse' | 'delay' | 'drop' | 'reorder' | 'clear'>

export type Wait = (durationMs: number) => Promise<void>

type Call = () => RpcAnswer | Promise<RpcAnswer>
type Fault = (call: Call) => Promise<RpcAnswer>

/**
 * Makes the calls of a node subject to faults. A call that is spoiled throws a {@link NodeFaultError}, waits, or both.
 */
export function createCallFaults(answer: AnswerRpc, wait: Wait): { call: AnswerRpc; faults: CallFaults } {
  const active = new Set<ActiveFault>()
  const add = (scope: FaultScope, fault: Fault, end: () => void = () => {}): void => {
    let left = scope.times ?? Number.POSITIVE_INFINITY
    const spoils = (method: string): boolean => (scope.methods?.includes(method) ?? true) && left-- > 0
    active.add({ spoils, fault, end })
  }
  return {
    call: (method, params) => {
      const faults = [...active].filter(({ spoils }) => spoils(method)).map(({ fault }) => fault)
      const honest: Call = () => answer(method, params)
      return faults.reduce<Call>((call, fault) => () => fault(call), honest)()
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
        add(
          scope,
          async (call) => {
            const given = await call()
            await hold()
            return given
          },
          end,
        )
      },
      clear() {
        for (const { end } of active) end()
        active.clear()
      },
    },
  }
}

interface ActiveFault {
  spoils: (method: string) => boolean
  fault: Fault
  /** What is left to do when the fault is over. */
  end: () => void
}

function fail(kind: NodeFaultError['kind']): never {
  throw new NodeFaultError(kind)
}

/** Holds until there are `count`, and then lets go of the newest first. */
function holdBack(count: number): { hold: () => Promise<void>; end: () => void } {
  let isOver = false
  let held: (() => void)[] = []
  const release = (): void => {
    const newestFirst = held.reverse()
    held = []
    for (const letGo of newestFirst) letGo()
  }
  return {
    hold: () =>
      new Promise((letGo) => {
        held.push(letGo)
        // Not at once: the last one does not wait for its turn yet.
        if (isOver || held.length >= count) queueMicrotask(release)
      }),
    end() {
      isOver = true
      release()
    },
  }
}
