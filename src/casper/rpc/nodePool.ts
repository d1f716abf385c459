import { basicCredentials } from '../../bytes/basicCredentials.ts'

/** A node as far as the outside may know it. */
export interface Node {
  /** Without user and password. */
  readonly url: string
  /** Host and port: safe to show, where a path or query may hold a token. */
  readonly host: string
  /** What every request to it carries. */
  readonly headers: Record<string, string>
}

/** Which node to ask first. */
export interface NodePool {
  /** Every node, as configured. */
  readonly nodes: readonly Node[]
  /** Every node: the one that answered last comes first, those that failed lately come last. */
  inOrder(): Node[]
  /**
   * How much longer the node asked to be left alone, in milliseconds; 0 if a call may go to it now. Where all nodes
   * asked for it, one call is let through to each after 2 s, and then with pauses that double: what is well again is
   * noticed before its time.
   */
  waitMs(node: Node): number
  /** What strikes all that nobody may be told of the node's URL out of a text that the node had a part in. */
  redactorOf(node: Node): Promise<(text: string) => string>
  /** This node gave a good answer. */
  prefer(node: Node): void
  /**
   * This node failed: it rests for a second at first, twice as long each time, a minute at most. Failures while it
   * rests are those of calls that were under way, and do not count again.
   */
  demote(node: Node, waitMs?: number): void
}

interface NodeState {
  readonly node: Node
  readonly loadRedactor: () => Promise<(text: string) => string>
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

/** Keeps the order of the nodes behind some URLs; `now` is a monotonic clock in milliseconds. */
export function createNodePool(urls: readonly string[], now: () => number): NodePool {
  const states = urls.map(createState)
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

  /** The next probe is due after a pause that is twice as long as the one before. */
  function planProbe(state: NodeState): void {
    state.probeAt = now() + state.probeMs
    state.probeMs = Math.min(state.probeMs * 2, MAX_PROBE_MS)
  }

  return {
    nodes: states.map(({ node }) => node),
    inOrder,
    waitMs(node) {
      const state = byNode.get(node)
      if (!state) return 0
      if (now() < state.probeAt || !states.every(isWaiting)) return Math.max(0, state.waitUntil - now())
      planProbe(state)
      return 0
    },
    redactorOf: async (node) => byNode.get(node)?.loadRedactor() ?? redactAll,
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

function createState(url: string): NodeState {
  return { ...fresh, node: createNode(url), loadRedactor: createRedactorLoader(url) }
}

/** Loaded with the first error that repeats a node's words. */
function createRedactorLoader(url: string): NodeState['loadRedactor'] {
  let redactor: ((text: string) => string) | null = null
  return async () => {
    const { createRedact, urlSecrets } = await import('../../bytes/redact.ts')
    redactor ??= createRedact(urlSecrets(url))
    return redactor
  }
}

const redactAll = (): string => ''

/** `fetch` refuses URLs with a user and password, so those go into a header. */
function createNode(text: string): Node {
  const url = new URL(text)
  const credentials = basicCredentials(url)
  url.username = ''
  url.password = ''
  const headers = credentials === '' ? {} : { authorization: `Basic ${credentials}` }
  return { url: url.href, host: url.host, headers }
}
