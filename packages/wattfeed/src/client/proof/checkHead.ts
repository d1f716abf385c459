import type { BlockHeader } from '@wattfeed/casper/types'
import { checkBlock, checkSwitchBlocks } from './checkBlocks.ts'
import { assertLink, type Checker } from './checker.ts'
import type { ProvenAtBlock, ProvenRegistries } from './feedProof.ts'
import type { FeedProofTrust } from './feedProofCheck.ts'

/** What every proof begins with. */
interface ProofHead extends ProvenAtBlock {
  readonly registries: ProvenRegistries
}

/**
 * Checks what every proof begins with: its registries, what it is of, and its block. Returns the header of the block.
 *
 * @param name - what the proof is of
 * @param isAsked - whether that is what the user requested
 */
export async function checkHead(
  proof: ProofHead,
  trust: FeedProofTrust,
  checker: Checker,
  { name, isAsked }: { name: string; isAsked: boolean },
): Promise<BlockHeader> {
  await checkRegistries(proof, trust, checker)
  const { feedId, index, list, series, range } = trust
  if ([feedId, index, list, series, range].some((each) => each !== undefined))
    await checker.check(
      'what was asked for',
      () => assertLink(isAsked, `it is of ${name}`),
      () => name,
    )
  const before = await checkSwitchBlocks(proof, trust, checker)
  return (await checkBlock(proof, trust, before, checker)).header
}

/** Checks that a proof is of the registries that the user named. */
export async function checkRegistries(
  { registries }: Pick<ProofHead, 'registries'>,
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
