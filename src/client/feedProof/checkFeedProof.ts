import { DecodeError } from '../../bytes/cursor.ts'
import type { Block } from '../../casper/block/block.ts'
import { checkFinality, type ValidatorWeights } from '../../casper/block/finality.ts'
import { clValueBytes } from '../../casper/clValue.ts'
import { asSwitchBlock } from '../../casper/lightClient/switchBlocks.ts'
import { assertServedValue } from '../../casper/proof/servedValue.ts'
import type { StoredValue } from '../../casper/proof/storedValue.ts'
import { verifyDictionaryItem } from '../../casper/proof/verifyDictionaryItem.ts'
import { verifyMerkleProof } from '../../casper/proof/verifyMerkleProof.ts'
import { WattfeedError } from '../../errors.ts'
import { PackageNotFoundError } from '../../odra/contract.ts'
import { decodeField } from '../../odra/field.ts'
import type { RegistryName } from '../../registry/layout.ts'
import { createReading, type Reading } from '../../registry/reading.ts'
import type { FieldRequest } from '../rootReader.ts'
import { assertFeedProof, type FeedProof, type FeedProofItem } from './feedProof.ts'
import { decodeProofBlock } from './proofBlock.ts'
import {
  contractKeyOf,
  dictionaryItemKeyOf,
  dictionaryKeyOf,
  readingFields,
  stateUrefOf,
} from './registryItems.ts'

/** What a proof is checked against: all of it from sources that the user trusts. */
export interface FeedProofTrust {
  /** The hash of a switch block: 64 hex digits. */
  trustedBlockHash: string
  chainName: string
  /** 64 hex digits. */
  feedRegistryPackageHash: string
  /** 64 hex digits. */
  attestationRegistryPackageHash: string
  /**
   * The oldest that the proof's block may be, in milliseconds.
   * @default no limit: an old proof is a proof of what was true then
   */
  maxAgeMs?: number
  /**
   * Epoch milliseconds.
   * @default Date.now
   */
  now?: () => number
}

/** One link of the chain from the trusted block to the reading, and whether it holds. */
export interface CheckedLink {
  /** What was checked: `finality signatures of block 903`. */
  readonly link: string
  readonly holds: boolean
  /** What was found, or which rule broke. */
  readonly detail: string
}

/** The outcome of checking a proof: links in the order they were checked; after one that breaks there are no more. */
export interface FeedProofCheck {
  /** The reading, where every link holds; else null. */
  readonly reading: Reading | null
  readonly links: readonly CheckedLink[]
}

/** Checks links one after another, and stops at the first that breaks. */
interface Checker {
  check<T>(link: string, work: () => T | Promise<T>, detail?: (value: T) => string): Promise<T>
}

class BrokenLink extends Error {}

/** A link that breaks by a rule of the proof itself. */
function assertLink(holds: boolean, rule: string): void {
  if (!holds) throw new DecodeError('feed proof', rule)
}

/** What `verifyFeedProof` does, which loads this file when it is first called. */
export async function checkFeedProof(json: unknown, trust: FeedProofTrust): Promise<FeedProofCheck> {
  assertFeedProof(json)
  const links: CheckedLink[] = []
  const checker: Checker = {
    async check(link, work, detail = () => '') {
      try {
        const value = await work()
        links.push({ link, holds: true, detail: detail(value) })
        return value
      } catch (error) {
        if (!(error instanceof WattfeedError)) throw error
        links.push({ link, holds: false, detail: ruleOf(error) })
        throw new BrokenLink()
      }
    },
  }
  try {
    return { reading: await checkAll(json, trust, checker), links }
  } catch (error) {
    if (!(error instanceof BrokenLink)) throw error
    return { reading: null, links }
  }
}

const ruleOf = (error: WattfeedError): string => ('rule' in error ? String(error.rule) : error.message)

async function checkAll(proof: FeedProof, trust: FeedProofTrust, checker: Checker): Promise<Reading> {
  await checker.check(
    'registries',
    () => assertRegistries(proof, trust),
    () => trust.chainName,
  )
  const weights = await checkSwitchBlocks(proof, trust, checker)
  const block = await checkBlock(proof, trust, weights, checker)
  const { stateRootHash } = block.header
  const { feed_id: feedId } = proof.reading
  const registries = proof.registries
  const at = { proof, stateRootHash, checker }
  const feed = await checkItems(
    at,
    'FeedRegistry',
    registries.feed_registry_package_hash,
    readingFields.FeedRegistry(feedId),
  )
  const latest = await checkItems(
    at,
    'AttestationRegistry',
    registries.attestation_registry_package_hash,
    readingFields.AttestationRegistry(feedId),
  )
  return checker.check(
    'reading',
    () => assertReading(proof, createReading(feedId, feed, latest)),
    ({ value, unit, period }) => `${feedId} = ${value} ${unit}, period ${period}`,
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

/** The weights that the block's era is decided on, proven from the trusted block. */
async function checkSwitchBlocks(
  { switch_blocks, block: { hash } }: FeedProof,
  { trustedBlockHash, chainName }: FeedProofTrust,
  checker: Checker,
): Promise<SwitchBlockState> {
  const start = switch_blocks.findIndex((each) => each.hash === trustedBlockHash)
  const [first, ...others] = switch_blocks.slice(Math.max(0, start))
  let before = await checker.check('trusted block', () => {
    assertLink(
      start !== -1 && first !== undefined,
      `the proof does not go through ${trustedBlockHash}; ask for it with ?from=`,
    )
    return asSwitchBlock(decodeProofBlock(first ?? { header: null, hash, proofs: [] }))
  })
  for (const each of others)
    before = await checker.check(`switch block of era ${before.eraId + 1}`, async () => {
      const block = decodeProofBlock(each)
      const next = asSwitchBlock(block)
      assertLink(
        block.header.lastSwitchBlockHash === before.hash,
        'the switch block before it is another one',
      )
      assertLink(next.eraId === before.eraId + 1, `it ends era ${next.eraId}`)
      await assertFinal(block, before.weights, chainName)
      return next
    })
  return before
}

type SwitchBlockState = ReturnType<typeof asSwitchBlock>

async function assertFinal(block: Block, weights: ValidatorWeights, chainName: string): Promise<string> {
  const { signed, total, isFinal } = await checkFinality(block, weights, chainName)
  assertLink(isFinal, `signed by ${signed} of ${total} motes, which is not more than two thirds`)
  return `signed by ${signed} of ${total} motes`
}

async function checkBlock(
  proof: FeedProof,
  { chainName, maxAgeMs = Number.POSITIVE_INFINITY, now = Date.now }: FeedProofTrust,
  before: SwitchBlockState,
  checker: Checker,
): Promise<Block> {
  const block = await checker.check(
    'block',
    () => decodeProofBlock(proof.block),
    ({ hash }) => hash,
  )
  const { height, eraId, lastSwitchBlockHash, timestamp } = block.header
  await checker.check(
    `finality signatures of block ${height}`,
    () => {
      assertLink(
        lastSwitchBlockHash === before.hash && eraId === before.eraId + 1,
        `the proof's switch blocks do not lead to its era ${eraId}`,
      )
      return assertFinal(block, before.weights, chainName)
    },
    String,
  )
  const ageMs = now() - timestamp
  await checker.check(
    'age',
    () => assertLink(ageMs <= maxAgeMs, `${ageMs} ms, more than ${maxAgeMs}`),
    () => `${ageMs} ms`,
  )
  return block
}

interface ItemsAt {
  proof: FeedProof
  stateRootHash: string
  checker: Checker
}

async function checkItems<T>(
  at: ItemsAt,
  registry: RegistryName,
  packageHash: string,
  field: FieldRequest<T>,
): Promise<T> {
  const { stateRootHash, checker } = at
  const query = (what: string, key: string): Promise<StoredValue> =>
    checker.check(
      `${registry} ${what}`,
      () => {
        const item = findItem(at.proof, registry, key)
        const proven = verifyMerkleProof({ merkleProof: item.merkle_proof, stateRootHash, key, what: key })
        assertServedValue(item.stored_value, proven, key)
        return proven
      },
      () => key,
    )
  const contractPackage = await query('package', `hash-${packageHash}`)
  const contractKey = await checker.check(`${registry} version`, () =>
    contractKeyOf(registry, contractPackage),
  )
  const contract = await query('contract', contractKey)
  return checker.check(`${registry} ${field.what}`, () => {
    const seedUref = stateUrefOf(registry, contract)
    const itemKey = dictionaryItemKeyOf(field)
    const item = findItem(at.proof, registry, dictionaryKeyOf(seedUref, itemKey))
    const what = `${registry}.${field.what}`
    const proven = verifyDictionaryItem({
      merkleProof: item.merkle_proof,
      stateRootHash,
      seedUref,
      itemKey,
      what,
    })
    assertServedValue(item.stored_value, proven, what)
    return decodeField(clValueBytes(proven, what), what, field.read)
  })
}

function findItem({ items }: FeedProof, registry: RegistryName, key: string): FeedProofItem {
  const item = items.find((each) => each.registry === registry && each.key === key)
  if (item === undefined) throw new PackageNotFoundError(registry, key, 'no item in the proof')
  return item
}

/** The reading that was served must say just what is proven. */
function assertReading({ reading }: FeedProof, proven: Reading): Reading {
  const expected = { ...proven, amount: String(proven.amount) }
  const names = new Set([...Object.keys(expected), ...Object.keys(reading)])
  const served: Record<string, unknown> = { ...reading }
  const wrong = [...names].find((name) => served[name] !== new Map(Object.entries(expected)).get(name))
  assertLink(wrong === undefined, `its "${wrong}" is not what is proven`)
  return proven
}
