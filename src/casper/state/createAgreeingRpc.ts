import { limitTime } from '../../async/limitTime.ts'
import type { Node } from '../rpc/node.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import { type AbsenceWay, absentAsHidden, absentAsNull, HiddenValueError } from './absent.ts'

type Answer<T> = { value: T } | { absentAt: Node; value: T }

/** Decides whether a value is absent that a node reported as absent. */
export interface AbsenceCheck {
  /** Decides by evidence; null if there is none. */
  decide: () => Promise<'absent' | 'present' | null>
  /** Called when the nodes agree and nothing else shows it. Throws if evidence is required. */
  onUnproven: (way: AbsenceWay) => void
}

export interface AgreeingOptions {
  /** Evidence. @default none */
  check?: AbsenceCheck
  /** Whether one node suffices if no other answers within a second. @default false */
  isTrusting?: boolean
}

/** How long a trusted node's answer waits for another node. */
const SECOND_NODE_MS = 1_000

/**
 * Wraps `rpc` so that two nodes must agree that a value is absent, unless evidence decides it. If only one node is
 * configured, it is trusted. A node that hides a value is penalized with a {@link HiddenValueError}.
 */
export function createAgreeingRpc(rpc: Rpc, options: AgreeingOptions = {}): Rpc {
  return { ...rpc, call: (request) => callAgreed(rpc, request, options) }
}

async function callAgreed<T>(
  rpc: Rpc,
  request: RpcRequest<T>,
  { check, isTrusting = false }: AgreeingOptions,
): Promise<T> {
  const ask = (except?: Node, signal = request.signal): Promise<Answer<T>> =>
    rpc.call<Answer<T>>({
      ...request,
      except,
      signal,
      decode: async (...result) => ({ value: await request.decode(...result) }),
      refused: (error, node) => {
        if (request.refused === undefined) throw error
        const value = request.refused(error, node)
        absentAsNull(error)
        return { absentAt: node, value }
      },
    })
  const first = await ask()
  if (!('absentAt' in first)) return first.value
  const verdict = (await check?.decide()) ?? null
  if (verdict === 'absent') return first.value
  const hidden = new HiddenValueError(request.method)
  if (verdict === 'present') {
    rpc.penalize(first.absentAt, hidden)
    return rpc.call({ ...request, refused: (error) => absentAsHidden(error, request.method) })
  }
  function askAnother({ absentAt }: { absentAt: Node }): Promise<Answer<T>> {
    if (!isTrusting) return ask(absentAt)
    const limit = { timeoutMs: SECOND_NODE_MS, error: () => hidden, signal: request.signal }
    return limitTime(limit, ({ signal }) => ask(absentAt, signal)).catch(() => first)
  }
  const second = rpc.nodes.length === 1 ? first : await askAnother(first)
  if (!('absentAt' in second)) {
    rpc.penalize(first.absentAt, hidden)
    return second.value
  }
  check?.onUnproven(second === first ? 'one_node' : 'second_node')
  return second.value
}
