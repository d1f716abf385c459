import type { RpcError } from './rpcAnswer.ts'

/** A JSON-RPC error response. */
export interface NodeError {
  error: RpcError
}

/** casper-node's response when no value is stored under a key. */
export const queryFailed: NodeError = {
  error: { code: -32003, message: 'Query failed', data: 'value was not found in the global state' },
}

/**
 * Returns casper-node's response to a read at an unknown state root.
 *
 * @param what the node's term for the requested item: `dictionary item`
 */
export function noSuchStateRoot(what: string): NodeError {
  const data = `request for ${what} has failed: could not find the provided state root hash`
  return { error: { code: -32012, message: 'No such state root', data } }
}

/** Returns casper-node's response to an unknown method. */
export function methodNotFound(method: string): NodeError {
  return {
    error: {
      code: -32601,
      message: 'Method not found',
      data: `'${method}' is not a supported json-rpc method on this server`,
    },
  }
}
