import type { NodeCall } from '../../src/rpc/jsonRpc.ts'
import { parseNode } from '../../src/rpc/node.ts'

/** A call of `read` at a node with this name. */
export function nodeCall(changes: Partial<NodeCall> = {}): NodeCall {
  const signal = new AbortController().signal
  return { node: parseNode('http://a/rpc'), method: 'read', params: {}, signal, ...changes }
}
