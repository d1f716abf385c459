import { assertLink, type Checker } from './checker.ts'
import type { FeedProof, ProvenRegistries } from './feedProof.ts'
import type { FeedProofTrust } from './feedProofCheck.ts'

/** Checks that a proof is of the registries that the user named. */
export async function checkRegistries(
  { registries }: Pick<FeedProof, 'registries'>,
  trust: FeedProofTrust,
  checker: Checker,
): Promise<void> {
  await checker.check(
    'registries',
    () => assertRegistries(registries, trust),
    () => trust.chainName,
  )
}

function assertRegistries(registries: ProvenRegistries, trust: FeedProofTrust): void {
  const { chain_name, feed_registry_package_hash, attestation_registry_package_hash } = registries
  assertLink(chain_name === trust.chainName, `it is of the chain ${chain_name}, not ${trust.chainName}`)
  assertLink(
    feed_registry_package_hash === trust.feedRegistryPackageHash,
    `it is of the FeedRegistry ${feed_registry_package_hash}, not ${trust.feedRegistryPackageHash}`,
  )
  assertLink(
    attestation_registry_package_hash === trust.attestationRegistryPackageHash,
    `it is of the AttestationRegistry ${attestation_registry_package_hash}, not ${trust.attestationRegistryPackageHash}`,
  )
}
