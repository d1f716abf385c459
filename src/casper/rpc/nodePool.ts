import type { Node } from './node.ts'

/** Decides which node to ask first. */
export interface NodePool {
  /** Returns every node: the one that answered last first, those that failed recently last. */
  inOrder(): Node[]
  /**
   * Returns how much longer to wait because of the node's `Retry-After`, in milliseconds; 0 if a call may go to it now. If
   * all nodes asked for a wait, each gets a probe after 2 s and then with doubling pauses, to notice early recovery.
   */
  waitMs(node: Node): number
  /** Reports a good answer from this node. */
  prefer(node: Node): void
  /**
   * Reports a failure: the node comes last for a second, doubling up to a minute. Failures during that time are those of
   * calls already in flight and do not count.
   */
  demote(node: Node, waitMs?: number): void
}

interface NodeState {
  readonly node: Node
  restMs: number
  restingUntil: number
  waitUntil: number
  probeMs: number
  probeAt: number
}

const MIN_REST_MS = 1_000
const MAX_REST_MS = 60_000
const MIN_PROBE_MS = 2_000
const MAX_PROBE_MS = 8_000

const fresh = {
  restMs: MIN_REST_MS,
  restingUntil: 0,
  waitUntil: 0,
  probeMs: MIN_PROBE_MS,
  probeAt: 0,
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

  /** Schedules the next probe after a pause twice as long as the last. */
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
