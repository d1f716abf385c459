import { useEffect, useState } from 'preact/hooks'
import { fetchIndex } from '../data/answers.ts'
import { publicNetwork, type TrustFields } from './trust.ts'

/** Returns the network of this server; the public network until it is known. */
export function useServedNetwork(): TrustFields {
  const [served, setServed] = useState(publicNetwork)
  useEffect(() => {
    fetchIndex().then(
      ({ registries }) =>
        setServed({
          blockHash: '',
          chainName: registries.chain_name,
          feedRegistry: registries.feed_registry_package_hash,
          attestationRegistry: registries.attestation_registry_package_hash,
        }),
      () => {},
    )
  }, [])
  return served
}
