import type { Node } from './node.ts'

export interface NodePool {
  /** Returns all nodes. The node that answered most recently comes first; nodes that failed recently come last. */
  inOrder(): Node[]
  /**
   * Returns how many milliseconds of the node's `Retry-After` are left, or 0 if it can be called now. If all nodes are rate
   * limited, each is probed after 2 s and then with doubling pauses, to notice an early recovery.
   */
  waitMs(node: Node): number
  /** Records a valid answer from this node. */
  prefer(node: Node): void
  /**
   * Records a failure and moves the node to the end, for 1 s at first and twice as long each time, up to 60 s. Failures
   * during that time do not count, because those calls were already in flight.
   *
   * @param waitMs - the node's `Retry-After`
   */
  demote(node: Node, waitMs?: number): void
}

interface NodeState {
  readonly node: Node
  /** How long it rests after its next failure, and until when it rests. A node that rests comes last. */
  restMs: number
  restingUntil: number
  /** When its `Retry-After` ends. */
  waitUntil: number
  /** When it is probed in spite of its `Retry-After`, and the pause before the next probe. */
  probeAt: number
  probeMs: number
}

const MIN_REST_MS = 1_000
const MAX_REST_MS = 60_000
const MIN_PROBE_MS = 2_000
const MAX_PROBE_MS = 8_000

const fresh = {
  restMs: MIN_REST_MS,
  restingUntil: 0,
  waitUntil: 0,
  probeAt: 0,
  probeMs: MIN_PROBE_MS,
}

/** Creates the pool; `now` is a monotonic clock in milliseconds. */
export function createNodePool(nodes: readonly Node[], now: () => number): NodePool {
  const states: NodeState[] = nodes.map((node) => ({ ...fresh, node }))
  const byNode = new Map(states.map((state) => [state.node, state]))
  let preferred = 0

  function inOrder(): Node[] {
    const time = now()
    return states
      .map(({ node, restingUntil }, index) => ({
        node,
        rest: Math.max(0, restingUntil - time),
        turn: (index - preferred + states.length) % states.length,
      }))
      .sort((a, b) => a.rest - b.rest || a.turn - b.turn)
      .map(({ node }) => node)
  }

  const isWaiting = ({ waitUntil }: NodeState): boolean => now() < waitUntil

  function planProbe(state: NodeState): void {
    state.probeAt = now() + state.probeMs
    state.probeMs = Math.min(state.probeMs * 2, MAX_PROBE_MS)
  }

  return {
    inOrder,
    waitMs(node) {
      const state = byNode.get(node)
      if (!state) return 0
      if (now() < state.probeAt || !states.every(isWaiting)) return Math.max(0, state.waitUntil - now())
      planProbe(state)
      return 0
    },
    prefer(node) {
      const state = byNode.get(node)
      if (!state) return
      preferred = states.indexOf(state)
      Object.assign(state, fresh)
    },
    demote(node, waitMs = 0) {
      const state = byNode.get(node)
      if (!state) return
      if (waitMs > 0 && !isWaiting(state)) {
        state.probeMs = MIN_PROBE_MS
        planProbe(state)
      }
      state.waitUntil = Math.max(state.waitUntil, now() + waitMs)
      if (now() < state.restingUntil) return
      state.restingUntil = now() + state.restMs
      state.restMs = Math.min(state.restMs * 2, MAX_REST_MS)
    },
  }
}
