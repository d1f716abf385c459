import { DecodeError } from '@wattfeed/base'
import { isRecord } from '@wattfeed/casper/types'
import { statements } from '@wattfeed/dataset'
import type {
  FeedAbsence,
  FeedsProof,
  HistoryProof,
  RangeProof,
  SeriesProof,
  ServedFeedProof,
} from './feedProof.ts'

/** Asserts the shape of a {@link ServedFeedProof}, but does not verify it. @throws {@link DecodeError} */
export function assertFeedProof(json: unknown): asserts json is ServedFeedProof {
  if (!isRecord(json)) return wrong('expected a JSON object')
  const { format, reading, index = 0, count } = json
  if (!isRecord(reading) || !isFeedId(reading.feed_id)) wrong('"reading" must have a valid "feed_id"')
  if (!isIndex(index)) wrong('"index" must be a non-negative integer')
  if (format !== undefined && format !== 2) wrong('unknown "format"; use a newer version of wattfeed')
  if (format === 2 && !Number.isSafeInteger(count)) wrong('"count" must be an integer')
  if (!isAttesterProof(json.attester)) wrong('"attester" must be null or {claimant, unclaimed?, account?}')
  assertParts(json)
}

/** Asserts the shape of a {@link FeedAbsence}, but does not verify it. @throws {@link DecodeError} */
export function assertFeedAbsence(json: unknown): asserts json is FeedAbsence {
  if (!isRecord(json)) return wrong('"absence" must be a JSON object')
  const { format, feed_id, absent, evidence } = json
  if (format !== 2) wrong('unknown "format"; use a newer version of wattfeed')
  if (!isFeedId(feed_id)) wrong('"feed_id" is missing')
  if (absent !== 'feed' && absent !== 'value') wrong('"absent" must be "feed" or "value"')
  if (!isRecord(evidence) || !isEvidence(evidence))
    return wrong('"evidence" must be one of merkle_proof, trie_elements and ids')
  if ('ids' in evidence && absent !== 'feed') wrong('"ids" can only show that a feed is not registered')
  assertParts(json)
}

/** Asserts the shape of a {@link FeedsProof}, but does not verify it. @throws {@link DecodeError} */
export function assertFeedsProof(
  json: Record<string, unknown>,
): asserts json is Record<string, unknown> & FeedsProof {
  const { format, feed_count, feed_ids } = json
  if (format !== 2) wrong('unknown "format"; use a newer version of wattfeed')
  if (!Number.isSafeInteger(feed_count)) wrong('"feed_count" must be an integer')
  if (!Array.isArray(feed_ids) || !feed_ids.every(isFeedId)) wrong('"feed_ids" must be an array of ids')
  assertParts(json)
}

/** Asserts the shape of a {@link HistoryProof}, but does not verify it. @throws {@link DecodeError} */
export function assertHistoryProof(
  json: Record<string, unknown>,
): asserts json is Record<string, unknown> & HistoryProof {
  const { format, feed_id, count, values } = json
  if (format !== 2) wrong('unknown "format"; use a newer version of wattfeed')
  if (!isFeedId(feed_id)) wrong('"feed_id" must be a valid id')
  if (!Number.isSafeInteger(count)) wrong('"count" must be an integer')
  if (!Array.isArray(values)) wrong('"values" must be an array')
  assertParts(json)
}

/** Asserts the shape of a {@link SeriesProof}, but does not verify it. @throws {@link DecodeError} */
export function assertSeriesProof(
  json: Record<string, unknown>,
): asserts json is Record<string, unknown> & SeriesProof {
  const { format, series, statement, leaves, root } = json
  if (format !== 1) wrong('unknown "format"; use a newer version of wattfeed')
  if (!isSeries(series)) wrong('"series" must be {route, frequency, column, facets, period}')
  if (!statements.some((each) => each === statement))
    wrong(`"statement" must be one of ${statements.join(', ')}`)
  if (!Array.isArray(leaves) || !leaves.every(isLeaf))
    wrong('"leaves" must be an array of {index, leaf, path}')
  assertRoot(root)
}

/** Asserts the shape of a {@link RangeProof}, but does not verify it. @throws {@link DecodeError} */
export function assertRangeProof(
  json: Record<string, unknown>,
): asserts json is Record<string, unknown> & RangeProof {
  const { format, range, index, before, leaves, after, hashes, root } = json
  if (format !== 1) wrong('unknown "format"; use a newer version of wattfeed')
  if (!isRange(range))
    wrong('"range" must be {route, frequency, column, facets, period_from, period_to, order, limit}')
  if (!isIndex(index)) wrong('"index" must be a non-negative integer')
  if (!isTextOrNull(before) || !isTextOrNull(after)) wrong('"before" and "after" must be texts or null')
  if (!Array.isArray(leaves) || !leaves.every(isRangeLeaf))
    wrong('"leaves" must be an array of [period, value] or [period, value, unit]')
  if (!isTexts(hashes)) wrong('"hashes" must be an array of texts')
  assertRoot(root)
}

function assertRoot(root: unknown): void {
  assertFeedProof(root)
  if (root.format !== 2) wrong('"root" must have the format 2')
}

const isSeries = (series: unknown): boolean => isSeriesWith(series, ['period'])

/** Returns whether this has the members of a series, and others that are texts or null. */
function isSeriesWith(series: unknown, names: readonly string[]): boolean {
  if (!isRecord(series) || !hasTexts(series, ['route', 'frequency', 'column'])) return false
  const { facets } = series
  return (
    isRecord(facets) && [...names.map((name) => series[name]), ...Object.values(facets)].every(isTextOrNull)
  )
}

const isRange = (range: unknown): boolean =>
  isRecord(range) &&
  isSeriesWith(range, ['period_from', 'period_to']) &&
  (range.order === 'asc' || range.order === 'desc') &&
  (range.limit === null || (isIndex(range.limit) && range.limit !== 0))

const isRangeLeaf = (leaf: unknown): boolean =>
  Array.isArray(leaf) &&
  (leaf.length === 2 || leaf.length === 3) &&
  typeof leaf[0] === 'string' &&
  leaf.every(isTextOrNull)

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string'

const isLeaf = (leaf: unknown): boolean =>
  isRecord(leaf) && isIndex(leaf.index) && typeof leaf.leaf === 'string' && isTexts(leaf.path)

const isIndex = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

/** Asserts the parts that all proofs have. */
function assertParts({ registries, items, block, switch_blocks }: Record<string, unknown>): void {
  const named = ['chain_name', 'feed_registry_package_hash', 'attestation_registry_package_hash']
  if (!hasTexts(registries, named)) wrong(`"registries" must have ${named.join(', ')}`)
  if (!areItems(items)) wrong('"items" must be an array of {registry, key, stored_value, merkle_proof}')
  if (!isBlock(block) || !Array.isArray(switch_blocks) || !switch_blocks.every(isBlock))
    wrong('"block" and "switch_blocks" must be blocks of {header, hash, proofs}')
}

function isAttesterProof(attester: unknown): boolean {
  if (attester === undefined || attester === null) return true
  if (!isRecord(attester) || !areItems([attester.claimant])) return false
  const { unclaimed, account } = attester
  const isUnclaimed = isRecord(unclaimed) && isEvidence(unclaimed) && !('ids' in unclaimed)
  return (
    (unclaimed === undefined || isUnclaimed) &&
    (account === undefined || hasTexts(account, ['key', 'merkle_proof']))
  )
}

function isEvidence(evidence: Record<string, unknown>): boolean {
  const { merkle_proof, trie_elements, ids } = evidence
  if (Object.keys(evidence).length !== 1) return false
  return typeof merkle_proof === 'string' || isTexts(trie_elements) || areItems(ids)
}

const areItems = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => hasTexts(item, ['registry', 'key', 'merkle_proof']))

/** A string with lone surrogates changes when it is encoded as UTF-8, as on chain. */
const isFeedId = (value: unknown): boolean => typeof value === 'string' && value.isWellFormed()

const hasTexts = (value: unknown, names: readonly string[]): boolean =>
  isRecord(value) && names.every((name) => typeof value[name] === 'string')

const isBlock = (value: unknown): boolean =>
  hasTexts(value, ['hash']) && isRecord(value) && isRecord(value.header) && Array.isArray(value.proofs)

const wrong = (rule: string): never => {
  throw new DecodeError('feed proof', rule)
}
