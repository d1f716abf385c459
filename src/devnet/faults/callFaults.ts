import { WattfeedError } from '../../errors.ts'
import type { AnswerRpc, RpcAnswer } from '../rpcAnswer.ts'
import type { FaultScope, Faults } from './faults.ts'

/**
 * A fault that prevents an answer. Over HTTP it is a status 503 or a broken connection.
 *
 * @example
 * ```ts
 * import { createDevnet, NodeFaultError } from 'wattfeed/devnet'
 *
 * await using devnet = createDevnet()
 * devnet.faults.refuse()
 * try {
 *   await devnet.call('chain_get_state_root_hash')
 * } catch (error) {
 *   if (error instanceof NodeFaultError) console.log(error.kind) // refused
 * }
 * ```
 */
export class NodeFaultError extends WattfeedError {
  static override readonly name = 'NodeFaultError'
  readonly code = 'node_fault'
  readonly retryable = true

  constructor(
    /** Whether the node rejected the call or dropped the connection. */
    readonly kind: 'refused' | 'dropped',
  ) {
    super(
      kind === 'refused'
        ? 'injected fault: the node rejects the call'
        : 'injected fault: the node broke the connection',
    )
  }
}

export type CallFaults = Pick<Faults, 'refuse' | 'delay' | 'drop' | 'reorder' | 'clear'>

type Call = () => RpcAnswer | Promise<RpcAnswer>
type Fault = (call: Call) => Promise<RpcAnswer>

export function createCallFaults(
  answer: AnswerRpc,
  wait: (durationMs: number) => Promise<void>,
): { call: AnswerRpc; faults: CallFaults } {
  const active = new Set<ActiveFault>()
  const add = (scope: FaultScope, fault: Fault, end: () => void = () => {}): void => {
    let left = scope.times ?? Number.POSITIVE_INFINITY
    const affects = (method: string): boolean => (scope.methods?.includes(method) ?? true) && left-- > 0
    active.add({ affects, fault, end })
  }
  return {
    call: (method, params) => {
      const faults = [...active].filter(({ affects }) => affects(method)).map(({ fault }) => fault)
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
  affects: (method: string) => boolean
  fault: Fault
  end: () => void
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
