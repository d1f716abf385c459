import { assertBlockHash, parsePackageHash } from '../argument.ts'
import type { FeedProofTrust } from './feedProofCheck.ts'

/**
 * Converts hashes to lower case, as in a proof.
 *
 * @throws {@link InvalidArgumentError} when a hash is malformed.
 */
export function parseTrust(trust: FeedProofTrust): FeedProofTrust {
  const { trustedBlockHash, feedRegistryPackageHash, attestationRegistryPackageHash } = trust
  assertBlockHash('trustedBlockHash', trustedBlockHash)
  return {
    ...trust,
    trustedBlockHash: trustedBlockHash.toLowerCase(),
    feedRegistryPackageHash: parsePackageHash('feedRegistryPackageHash', feedRegistryPackageHash),
    attestationRegistryPackageHash: parsePackageHash(
      'attestationRegistryPackageHash',
      attestationRegistryPackageHash,
    ),
  }
}
