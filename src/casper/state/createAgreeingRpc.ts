import type { Node } from '../rpc/node.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import { absentAsNull, HiddenValueError } from './absent.ts'

type Answer<T> = { value: T } | { absentAt: Node; value: T }

/**
 * Wraps `rpc` so that two nodes must agree that a value is absent, because Casper nodes cannot prove absence. If only one
 * node is configured, it is trusted. A node that hides a value is penalized with a {@link HiddenValueError}.
 */
export function createAgreeingRpc(rpc: Rpc): Rpc {
  return { ...rpc, call: (request) => callAgreed(rpc, request) }
}

async function callAgreed<T>(rpc: Rpc, request: RpcRequest<T>): Promise<T> {
  const ask = (except?: Node): Promise<Answer<T>> =>
    rpc.call<Answer<T>>({
      ...request,
      except,
      decode: async (...result) => ({ value: await request.decode(...result) }),
      refused: (error, node) => {
        if (request.refused === undefined) throw error
        const value = request.refused(error, node)
        absentAsNull(error)
        return { absentAt: node, value }
      },
    })
  const first = await ask()
  if (!('absentAt' in first) || rpc.nodes.length === 1) return first.value
  const second = await ask(first.absentAt)
  if (!('absentAt' in second)) rpc.penalize(first.absentAt, new HiddenValueError(request.method))
  return second.value
}
