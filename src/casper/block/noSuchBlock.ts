import { JsonRpcError } from '../jsonRpc.ts'
import { AllNodesFailedError } from '../rpcErrors.ts'

const NO_SUCH_BLOCK = -32001

/** Whether an error of a call says that every node was there, and none knows the block. */
export function isNoSuchBlock(error: unknown): boolean {
  return (
    error instanceof AllNodesFailedError &&
    error.failures.every(({ error: each }) => each instanceof JsonRpcError && each.rpcCode === NO_SUCH_BLOCK)
  )
}
