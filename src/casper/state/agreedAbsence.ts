import type { Node } from '../rpc/nodePool.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import { absentAsNull, HiddenValueError } from './absent.ts'

type Answer<T> = { value: T } | { absentAt: Node; value: T }

/**
 * A request where two nodes must agree that a value is absent, because a Casper node proves nothing absent; where there is
 * a single node, it is trusted. One that hides what another one has is told as a {@link HiddenValueError}.
 */
export async function callAgreed<T>(rpc: Rpc, request: RpcRequest<T>): Promise<T> {
  const ask = (except?: Node): Promise<Answer<T>> =>
    rpc.call<Answer<T>>({
      ...request,
      except,
      decode: (result, node) => ({ value: request.decode(result, node) }),
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

/** Makes every call through `rpc` one where nodes must agree on absence. */
export function createAgreeingRpc(rpc: Rpc): Rpc {
  return { ...rpc, call: (request) => callAgreed(rpc, request) }
}
