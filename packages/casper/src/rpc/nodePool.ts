import type { Node } from './node.ts'

export interface NodePool {
  /**
   * Returns all nodes. The node that answered most recently comes first; nodes that failed recently come last.
   *
   * @param turn - how many of the other nodes to begin after it. @default 0
   */
  inOrder(turn?: number): Node[]
  /**
   * Returns how many milliseconds of the node's `Retry-After` are left, or 0 if it can be called now. If all nodes are rate
   * limited, each is probed after 2 s and then with doubling pauses, to notice an early recovery.
   */
  waitMs(node: Node): number
  /** Records a valid answer from this node, which is called first from now on unless it is penalized. */
  prefer(node: Node): void
  /**
   * Records a failure and moves the node to the end, for 1 s at first and twice as long each time, up to 60 s. Failures
   * during that time do not count, because those calls were already in flight.
   *
   * @param waitMs - the node's `Retry-After`
   */
  demote(node: Node, waitMs?: number): void
  /**
   * Records that a node lags, or that its answer is wrong. It comes last like one that failed, but its next answer does not end
   * that, because such a node still answers. Another one is preferred from now on.
   */
  penalize(node: Node): void
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
  /** The length of its last penalty, and when that ends. A node with a penalty comes last. */
  penaltyMs: number
  penalizedUntil: number
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

const withoutPenalty = { penaltyMs: 0, penalizedUntil: 0 }

/** Creates the pool; `now` is a monotonic clock in milliseconds. */
export function createNodePool(nodes: readonly Node[], now: () => number): NodePool {
  const states: NodeState[] = nodes.map((node) => ({ ...fresh, ...withoutPenalty, node }))
  const byNode = new Map(states.map((state) => [state.node, state]))
  let preferred = 0

  function inOrder(turn = 0): Node[] {
    const time = now()
    const first = (preferred + turn) % states.length
    return states
      .map(({ node, restingUntil, penalizedUntil }, index) => ({
        node,
        rest: Math.max(0, restingUntil - time, penalizedUntil - time),
        turn: (index - first + states.length) % states.length,
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
      if (now() >= state.penalizedUntil) preferred = states.indexOf(state)
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
    penalize(node) {
      const state = byNode.get(node)
      if (!state) return
      if (states[preferred] === state) preferred = (preferred + 1) % states.length
      const { penaltyMs, penalizedUntil } = state
      if (now() < penalizedUntil) return
      // It is doubled if the node has not been right for longer than it was penalized.
      const isAgain = now() < penalizedUntil + penaltyMs
      state.penaltyMs = isAgain ? Math.min(penaltyMs * 2, MAX_REST_MS) : MIN_REST_MS
      state.penalizedUntil = now() + state.penaltyMs
    },
  }
}
