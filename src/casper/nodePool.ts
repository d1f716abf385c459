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
  /** How much longer the node asked to be left alone, in milliseconds; 0 where it did not. */
  wishMs(node: Node): number
  /** This node gave a good answer. */
  prefer(node: Node): void
  /**
   * This node failed: it rests for a second at first, twice as long each time, a minute at most. Failures while it
   * rests are those of calls that were under way, and do not count again.
   */
  demote(node: Node, wishMs?: number): void
}

interface NodeState {
  readonly node: Node
  restMs: number
  restingUntil: number
  leftAloneUntil: number
}

const SHORTEST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000

/** Keeps the order of the nodes behind some URLs. */
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

  return {
    nodes: states.map(({ node }) => node),
    inOrder,
    wishMs: (node) => Math.max(0, (byNode.get(node)?.leftAloneUntil ?? 0) - now()),
    prefer(node) {
      const state = byNode.get(node)
      if (!state) return
      preferred = states.indexOf(state)
      Object.assign(state, { restMs: SHORTEST_REST_MS, restingUntil: 0, leftAloneUntil: 0 })
    },
    demote(node, wishMs = 0) {
      const state = byNode.get(node)
      if (!state) return
      state.leftAloneUntil = Math.max(state.leftAloneUntil, now() + wishMs)
      if (now() < state.restingUntil) return
      state.restingUntil = now() + state.restMs
      state.restMs = Math.min(state.restMs * 2, LONGEST_REST_MS)
    },
  }
}

function createState(url: string): NodeState {
  return { node: createNode(url), restMs: SHORTEST_REST_MS, restingUntil: 0, leftAloneUntil: 0 }
}

/** `fetch` refuses URLs with a user and password, so those go into a header. */
function createNode(text: string): Node {
  const url = new URL(text)
  const { host, username, password } = url
  url.username = ''
  url.password = ''
  const headers = username || password ? { authorization: basicAuthorization(username, password) } : {}
  return { url: url.href, host, headers }
}

/** RFC 7617, in UTF-8. */
function basicAuthorization(username: string, password: string): string {
  const bytes = new TextEncoder().encode(`${percentDecode(username)}:${percentDecode(password)}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
