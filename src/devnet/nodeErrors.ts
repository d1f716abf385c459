import type { RpcError } from './rpcAnswer.ts'

/** An error answer. */
export interface NodeError {
  error: RpcError
}

/** casper-node's answer if nothing is stored under a key. */
export const queryFailed: NodeError = {
  error: { code: -32003, message: 'Query failed', data: 'value was not found in the global state' },
}

/**
 * Returns casper-node's answer to a read at an unknown state root.
 *
 * @param what what was requested, in the node's words: `dictionary item`
 */
export function noSuchStateRoot(what: string): NodeError {
  const data = `request for ${what} has failed: could not find the provided state root hash`
  return { error: { code: -32012, message: 'No such state root', data } }
}

/** Returns casper-node's answer to an unknown method. */
export function methodNotFound(method: string): NodeError {
  return {
    error: {
      code: -32601,
      message: 'Method not found',
      data: `'${method}' is not a supported json-rpc method on this server`,
    },
  }
}
