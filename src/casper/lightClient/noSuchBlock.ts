import { JsonRpcError } from '../rpc/jsonRpc.ts'
import { AllNodesFailedError, isWrongAnswer } from '../rpc/rpcErrors.ts'

const NO_SUCH_BLOCK = -32001

/** Whether a node says that it does not know the block. */
const isNotThere = (error: Error): boolean => error instanceof JsonRpcError && error.rpcCode === NO_SUCH_BLOCK

/** Whether an error of a call says that every node was there, and none knows the block. */
export function isNoSuchBlock(error: unknown): boolean {
  return error instanceof AllNodesFailedError && error.failures.every(({ error: each }) => isNotThere(each))
}

/** Whether an error says that a node was there, and what it named is not proven, or does not exist. */
export function isUnproven(error: unknown): boolean {
  if (!(error instanceof AllNodesFailedError)) return isWrongAnswer(error)
  return error.failures.some(({ error: each }) => isNotThere(each) || isUnproven(each))
}
