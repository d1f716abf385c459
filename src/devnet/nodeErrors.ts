import type { RpcAnswer } from './rpcAnswer.ts'

/** casper-node's answer where the state holds nothing under a key. */
export const queryFailed: RpcAnswer = {
  error: { code: -32003, message: 'Query failed', data: 'value was not found in the global state' },
}

/** casper-node's answer to a read at a state root it does not know. */
export const noSuchStateRoot: RpcAnswer = {
  error: {
    code: -32012,
    message: 'No such state root',
    data: 'request for dictionary item has failed: could not find the provided state root hash',
  },
}

/** casper-node's answer to a method it does not have. */
export function methodNotFound(method: string): RpcAnswer {
  return {
    error: {
      code: -32601,
      message: 'Method not found',
      data: `'${method}' is not a supported json-rpc method on this server`,
    },
  }
}
