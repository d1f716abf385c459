import { createReading, type Reading } from '../../registry/reading.ts'
import { assertBlockHash, parsePackageHash } from '../argument.ts'
import { checkBlock, checkSwitchBlocks } from './checkBlocks.ts'
import { assertLink, BrokenLink, type Checker, createChecker } from './checker.ts'
import { createItemsChecker } from './checkItems.ts'
import { assertFeedProof, type FeedProof } from './feedProof.ts'
import type { FeedProofCheck, FeedProofTrust } from './feedProofCheck.ts'

/** Implements `verifyFeedProof`. Loaded on demand. */
export async function checkFeedProof(json: unknown, given: FeedProofTrust): Promise<FeedProofCheck> {
  const trust = parseTrust(given)
  assertFeedProof(json)
  const checker = createChecker()
  const { links } = checker
  try {
    const reading = await checkAll(json, trust, checker)
    return { reading, ...(json.index === undefined ? {} : { index: json.index }), links }
  } catch (error) {
    if (!(error instanceof BrokenLink)) throw error
    return { reading: null, links }
  }
}

/**
 * Converts hashes to lower case, as in a proof.
 *
 * @throws {@link InvalidArgumentError} when a hash is malformed.
 */
function parseTrust(trust: FeedProofTrust): FeedProofTrust {
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

async function checkAll(proof: FeedProof, trust: FeedProofTrust, checker: Checker): Promise<Reading> {
  await checker.check(
    'registries',
    () => assertRegistries(proof, trust),
    () => trust.chainName,
  )
  if (trust.feedId !== undefined || trust.index !== undefined)
    await checker.check(
      'what was asked for',
      () => assertAsked(proof, trust),
      () => valueName(proof),
    )
  const before = await checkSwitchBlocks(proof, trust, checker)
  const { header } = await checkBlock(proof, trust, before, checker)
  const items = createItemsChecker(proof, header.stateRootHash, checker)
  const feed = await items.checkEntry('FeedRegistry', trust.feedRegistryPackageHash)
  const latest = await items.checkEntry('AttestationRegistry', trust.attestationRegistryPackageHash)
  return checker.check(
    'reading',
    () => {
      items.assertAllTaken()
      return assertReading(proof, createReading(proof.reading.feed_id, feed, latest))
    },
    ({ feed_id, value, unit, period }) => `${feed_id} = ${value} ${unit}, period ${period}`,
  )
}

function assertRegistries({ registries }: FeedProof, trust: FeedProofTrust): void {
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

/** Asserts that the proof is of the requested feed and value. */
function assertAsked(proof: FeedProof, { feedId, index }: FeedProofTrust): void {
  const { reading } = proof
  const isFeed = feedId === undefined || feedId === reading.feed_id
  const isValue = index === undefined || index === (proof.index ?? null)
  assertLink(isFeed && isValue, `it is of ${valueName(proof)}`)
}

const valueName = ({ reading: { feed_id }, index }: FeedProof): string =>
  index === undefined ? `${feed_id}, its newest value` : `${feed_id}, its value at index ${index}`

/** Asserts that the reading equals the proven one. */
function assertReading({ reading }: FeedProof, proven: Reading): Reading {
  const expected = new Map<string, unknown>(Object.entries({ ...proven, amount: String(proven.amount) }))
  const served = new Map<string, unknown>(Object.entries(reading))
  const names = [...expected.keys(), ...served.keys()]
  const wrong = names.find((name) => !Object.is(served.get(name), expected.get(name)))
  assertLink(wrong === undefined, `its "${wrong}" differs from the proven value`)
  return proven
}
