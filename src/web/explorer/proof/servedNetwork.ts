import type { TrustFields } from '../../cite/verifyCommand.ts'
import { useServerIndex } from '../data/serverIndex.ts'
import { publicNetwork } from './trust.ts'

/** Returns the network of this server, without a block hash; the public network until it is known. */
export function useServedNetwork(): TrustFields {
  const index = useServerIndex()
  if (index === null) return publicNetwork
  const { chain_name, feed_registry_package_hash, attestation_registry_package_hash } = index.registries
  return {
    blockHash: '',
    chainName: chain_name,
    feedRegistry: feed_registry_package_hash,
    attestationRegistry: attestation_registry_package_hash,
  }
}
