import { assertOptions, type OptionNames } from '@wattfeed/base'
import { assertBlockHash, parsePackageHash } from '../argument.ts'
import type { Network } from '../networks.ts'
import type { FeedProofTrust } from './feedProofCheck.ts'

/** A network is often spread into the trust. Of a misspelt name, the caller would not hear that nothing was compared with it. */
const trustNames: OptionNames<FeedProofTrust & Network> = {
  trustedBlockHash: 1,
  chainName: 1,
  feedRegistryPackageHash: 1,
  attestationRegistryPackageHash: 1,
  feedId: 1,
  index: 1,
  list: 1,
  series: 1,
  range: 1,
  maxAgeMs: 1,
  now: 1,
  rpcUrls: 1,
}

/**
 * Converts hashes to lower case, as in a proof.
 *
 * @throws {@link InvalidArgumentError} when a hash is malformed, or a member is unknown.
 */
export function parseTrust(trust: FeedProofTrust): FeedProofTrust {
  assertOptions<object>(trust, trustNames, 'trust')
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
