import { AllNodesFailedError, DeadlineError, PackageNotFoundError, TransportError } from 'wattfeed'
import { typedProgram } from './isFromSource.ts'

/** Says that {@link typedProgram} can run without a network. */
export const demoHint = `"${typedProgram} demo" needs no network`

const settings = new Map([
  ['FeedRegistry', 'FEED_REGISTRY_PACKAGE_HASH'],
  ['AttestationRegistry', 'ATTESTATION_REGISTRY_PACKAGE_HASH'],
])

/** Returns which setting to change if every node is out of reach, or the chain lacks a registry; null for any other error. */
export function nodeHint(error: unknown): string | null {
  if (error instanceof PackageNotFoundError) {
    const name = settings.get(error.registry)
    return name === undefined
      ? null
      : `set ${name}, or CASPER_RPC_URL and CASPER_CHAIN_NAME to the chain of the registry`
  }
  const isOutOfReach =
    error instanceof AllNodesFailedError
      ? error.failures.every((failure) => failure.error instanceof TransportError)
      : error instanceof DeadlineError && error.lastFailure !== null
  return isOutOfReach ? `set CASPER_RPC_URL to a node that this machine can reach; ${demoHint}` : null
}
