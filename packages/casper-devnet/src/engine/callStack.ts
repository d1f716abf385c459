import type { CallContext, Caller } from './callContext.ts'
import { ExecutionError } from './executionError.ts'
import type { FoundContract } from './findContract.ts'

/** Returns the call stack of a contract that is called. @throws {ExecutionError} when it is too high */
export function pushFrame(
  { execution, stack }: CallContext,
  { contract, contractHash }: FoundContract,
): Caller[] {
  if (stack.length >= execution.chainspec.core.max_runtime_call_stack_height)
    throw new ExecutionError('Runtime stack overflow')
  return [...stack, { kind: 'contract', packageHash: contract.packageHash, contractHash }]
}
