import type { RpcError } from './rpcAnswer.ts'

/** An answer that is an error. */
export interface NodeError {
  error: RpcError
}

/** casper-node's answer where the state holds nothing under a key. */
export const queryFailed: NodeError = {
  error: { code: -32003, message: 'Query failed', data: 'value was not found in the global state' },
}

/**
 * casper-node's answer to a read at a state root it does not know.
 *
 * @param what What was asked for, in the node's words: `dictionary item`.
 */
export function noSuchStateRoot(what: string): NodeError {
  const data = `request for ${what} has failed: could not find the provided state root hash`
  return { error: { code: -32012, message: 'No such state root', data } }
}

/** casper-node's answer to a method it does not have. */
export function methodNotFound(method: string): NodeError {
  return {
    error: {
      code: -32601,
      message: 'Method not found',
      data: `'${method}' is not a supported json-rpc method on this server`,
    },
  }
}
