import { AllNodesFailedError, DeadlineError, TransportError } from '../library/client/index.ts'
import { typedProgram } from './isFromSource.ts'

/** Says that {@link typedProgram} can run without a network. */
export const demoHint = `"${typedProgram} demo" needs no network`

/** Returns what to do about an error if every node is out of reach; null for any other error. */
export function nodeHint(error: unknown): string | null {
  const isOutOfReach =
    error instanceof AllNodesFailedError
      ? error.failures.every((failure) => failure.error instanceof TransportError)
      : error instanceof DeadlineError && error.lastFailure !== null
  return isOutOfReach ? `set CASPER_RPC_URL to a node that this machine can reach; ${demoHint}` : null
}
