import type { RpcError } from './rpcAnswer.ts'

/** An answer of a node to a call that fails. */
export interface NodeError {
  error: RpcError
}

/** A node's answer for a key without a value. */
export const queryFailed: NodeError = {
  error: { code: -32003, message: 'Query failed', data: 'value was not found in the global state' },
}

/**
 * A node's answer for a state root that it does not know.
 *
 * @param what - the node's term for the requested item: `dictionary item`
 */
export function noSuchStateRoot(what: string): NodeError {
  const data = `request for ${what} has failed: could not find the provided state root hash`
  return { error: { code: -32012, message: 'No such state root', data } }
}

/** A node's answer to a method that it does not have. */
export function methodNotFound(method: string): NodeError {
  const data = `'${method}' is not a supported json-rpc method on this server`
  return { error: { code: -32601, message: 'Method not found', data } }
}
