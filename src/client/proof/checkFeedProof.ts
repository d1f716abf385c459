import { DecodeError } from '../../bytes/cursor.ts'
import { isRecord } from '../../casper/types/isRecord.ts'
import { attestationRegistryField } from '../../registry/fields.ts'
import { createReading, type Reading } from '../../registry/reading.ts'
import { assertBlockHash, parsePackageHash } from '../argument.ts'
import type { Attester } from '../attester.ts'
import { checkAbsence } from './checkAbsence.ts'
import { checkAsked } from './checkAsked.ts'
import { checkAttester } from './checkAttester.ts'
import { checkBlock, checkSwitchBlocks } from './checkBlocks.ts'
import { assertLink, BrokenLink, type Checker, createChecker } from './checker.ts'
import { checkFeedsProof } from './checkFeedsProof.ts'
import { checkHistoryProof } from './checkHistoryProof.ts'
import { createItemsChecker } from './checkItems.ts'
import { checkRegistries } from './checkRegistries.ts'
import {
  assertFeedAbsence,
  assertFeedProof,
  assertFeedsProof,
  assertHistoryProof,
  type FeedProof,
} from './feedProof.ts'
import type { FeedProofCheck, FeedProofTrust } from './feedProofCheck.ts'
import { readingFields } from './registryItems.ts'

/** Implements `verifyFeedProof`. Loaded on demand. */
export async function checkFeedProof(json: unknown, given: FeedProofTrust): Promise<FeedProofCheck> {
  const trust = parseTrust(given)
  const checker = createChecker()
  const { links } = checker
  try {
    if (isRecord(json) && 'absence' in json) {
      if (json.absence === null) throw new DecodeError('feed proof', 'the server could not prove the absence')
      assertFeedAbsence(json.absence)
      return { reading: null, absence: await checkAbsence(json.absence, trust, checker), links }
    }
    if (isRecord(json) && 'feed_ids' in json) {
      assertFeedsProof(json)
      return { reading: null, feeds: await checkFeedsProof(json, trust, checker), links }
    }
    if (isRecord(json) && 'values' in json) {
      assertHistoryProof(json)
      return { reading: null, history: await checkHistoryProof(json, trust, checker), links }
    }
    assertFeedProof(json)
    const { reading, count, attester } = await checkAll(json, trust, checker)
    const { index } = json
    return {
      reading,
      ...(index === undefined ? {} : { index }),
      ...(count === null ? {} : { count }),
      ...(attester === undefined ? {} : { attester }),
      links,
    }
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

interface CheckedValue {
  reading: Reading
  /** Null in format 1. */
  count: number | null
  /** Undefined if it was not requested, null if it is not proven. */
  attester: Attester | null | undefined
}

async function checkAll(proof: FeedProof, trust: FeedProofTrust, checker: Checker): Promise<CheckedValue> {
  const { reading: served, index } = proof
  await checkRegistries(proof, trust, checker)
  await checkAsked(trust, checker, valueName(proof), isAsked(proof, trust))
  const before = await checkSwitchBlocks(proof, trust, checker)
  const { header } = await checkBlock(proof, trust, before, checker)
  const items = createItemsChecker(proof.items, header.stateRootHash, checker)
  const fields = readingFields(served.feed_id, index ?? null)
  const feeds = await items.checkContract('FeedRegistry', trust.feedRegistryPackageHash)
  const feed = await items.checkField('FeedRegistry', feeds, fields.FeedRegistry)
  const values = await items.checkContract('AttestationRegistry', trust.attestationRegistryPackageHash)
  const latest = await items.checkField('AttestationRegistry', values, fields.AttestationRegistry)
  const countField = attestationRegistryField.count(served.feed_id)
  const count = proof.format === 2 ? await items.checkField('AttestationRegistry', values, countField) : null
  const attester =
    proof.attester &&
    (await checkAttester({
      proof: proof.attester,
      feedId: served.feed_id,
      feeds,
      stateRootHash: header.stateRootHash,
      checker,
    }))
  const reading = await checker.check(
    'reading',
    () => {
      items.assertAllTaken()
      assertCount(proof, count)
      return assertReading(proof, createReading(served.feed_id, feed, latest))
    },
    ({ feed_id, value, unit, period }) =>
      `${feed_id} = ${value} ${unit}, period ${period}${numberOf(index, count)}`,
  )
  return { reading, count, attester }
}

function numberOf(index: number | undefined, count: number | null): string {
  return count === null ? '' : `, number ${(index ?? count - 1) + 1} of ${count}`
}

function assertCount({ count: served, index = 0 }: FeedProof, count: number | null): void {
  if (count === null) return
  assertLink(served === count, 'its "count" differs from the proven value')
  assertLink(index < count, `its index ${index} is not below the number of values, ${count}`)
}

function isAsked({ reading, index }: FeedProof, trust: FeedProofTrust): boolean {
  const isFeed = trust.feedId === undefined || trust.feedId === reading.feed_id
  return isFeed && (trust.index === undefined || trust.index === (index ?? null)) && trust.list === undefined
}

const valueName = ({ reading: { feed_id }, index }: FeedProof): string =>
  index === undefined ? `${feed_id}, its newest value` : `${feed_id}, its value at index ${index}`

function assertReading({ reading }: FeedProof, proven: Reading): Reading {
  const expected = new Map<string, unknown>(Object.entries({ ...proven, amount: String(proven.amount) }))
  const served = new Map<string, unknown>(Object.entries(reading))
  const names = [...expected.keys(), ...served.keys()]
  const wrong = names.find((name) => !Object.is(served.get(name), expected.get(name)))
  assertLink(wrong === undefined, `its "${wrong}" differs from the proven value`)
  return proven
}
