import { datasetFeedId, isRoot, type SeriesQuery } from '@wattfeed/dataset'
import type { ReadOptions, Reads } from '../client/reads.ts'
import type { Attestation } from '../registry/attestation.ts'
import type { Reading } from '../registry/reading.ts'
import { RootNotFoundError } from './rootNotFoundError.ts'
import { SeriesQueryError } from './seriesQueryError.ts'
import { SnapshotGoneError } from './snapshotGoneError.ts'
import { SnapshotMissingError } from './snapshotMissingError.ts'

/** The reads that roots need, at one state root. */
export type RootReads = Pick<Reads, 'getReading' | 'getValueCount' | 'getValueHistory' | 'listReadings'>

/** By which attestation of a dataset an answer is. */
export interface ByRoot {
  /** The root, the number of values and the time of the attestation, with the newest metadata. */
  readonly reading: Reading
  /** Index of the attestation in the feed's history. */
  readonly index: number
  /** The newest root of the dataset. The answer is by an earlier one while the files of the newest are not at hand. */
  readonly newestRoot: string
}

/** Returns whether an answer is by the newest root. */
export const isByNewestRoot = ({ reading, newestRoot }: Pick<ByRoot, 'reading' | 'newestRoot'>): boolean =>
  reading.source_hash === newestRoot

/** Number of newest roots whose snapshots are looked for. */
const MAX_ROOTS = 8

/**
 * Reads the newest root of a dataset; null if it is not registered, or has no root.
 *
 * @throws {SeriesQueryError} if its route or frequency is spelled differently.
 */
export async function readNewestRoot(
  reads: RootReads,
  query: Pick<SeriesQuery, 'route' | 'frequency'>,
  options: ReadOptions = {},
): Promise<Reading | null> {
  const reading = await reads.getReading(datasetFeedId(query.route, query.frequency), options)
  if (reading !== null) await assertSpelling(reads, query, reading, options)
  return reading
}

/**
 * Reads by a root.
 *
 * @param at the attestation that must answer; null for the newest root whose snapshot is at hand, of the last {@link MAX_ROOTS}
 * @param readBy reads from the snapshot of a root; null if it is not at hand
 * @throws {SnapshotMissingError} if none of them is.
 * @throws {SeriesQueryError} if there is no attestation with the index in `at`.
 * @throws {RootNotFoundError} if there was no root at the time in `at`.
 * @throws {SnapshotGoneError} if the snapshot of the root in `at` is not at hand.
 */
export const readByRoot = <T>(
  reads: RootReads,
  newest: Reading,
  at: RootAt | null,
  readBy: ReadBy<T>,
  options: ReadOptions = {},
): Promise<ByRoot & { readonly found: T }> =>
  at === null ? readByNewest(reads, newest, readBy, options) : readAtRoot(reads, newest, at, readBy, options)

type ReadBy<T> = (reading: Reading, index: number) => Promise<T | null>

async function readByNewest<T>(
  reads: RootReads,
  newest: Reading,
  readBy: ReadBy<T>,
  options: ReadOptions,
): Promise<ByRoot & { readonly found: T }> {
  const newestRoot = newest.source_hash
  const count = await reads.getValueCount(newest.feed_id, options)
  const found = await readBy(newest, count - 1)
  if (found !== null) return { found, reading: newest, index: count - 1, newestRoot }
  const from = Math.max(0, count - MAX_ROOTS)
  const values = await reads.getValueHistory(newest.feed_id, { ...options, from, to: count })
  for (const [offset, value] of [...values.entries()].reverse()) {
    const reading = readingOf(newest, value)
    if (reading.source_hash === newestRoot || !isOfRoot(reading)) continue
    const older = await readBy(reading, from + offset)
    if (older !== null) return { found: older, reading, index: from + offset, newestRoot }
  }
  throw new SnapshotMissingError(newest.feed_id, newestRoot)
}

/** The attestation with an index. */
export interface RootAtIndex {
  /** Index of the attestation in the feed's history. */
  readonly index: number
  /** How its root begins: some hex digits. */
  readonly root: string
}

/** The newest attestation up to a time. */
export interface RootAtTime {
  /** Epoch milliseconds, inclusive. */
  readonly asOf: number
}

/** One attestation of a root, which is the only one that may answer. */
export type RootAt = RootAtIndex | RootAtTime

async function readAtRoot<T>(
  reads: RootReads,
  newest: Reading,
  at: RootAt,
  readBy: ReadBy<T>,
  options: ReadOptions,
): Promise<ByRoot & { readonly found: T }> {
  const { reading, index } = await findRoot(reads, newest, at, options)
  const found = await readBy(reading, index)
  if (found === null) throw new SnapshotGoneError(newest.feed_id, reading.source_hash, index)
  return { found, reading, index, newestRoot: newest.source_hash }
}

/** A reading of a root, and its index. */
export type IndexedReading = Pick<ByRoot, 'reading' | 'index'>

async function findRoot(
  reads: RootReads,
  newest: Reading,
  at: RootAt,
  options: ReadOptions,
): Promise<IndexedReading> {
  const count = await reads.getValueCount(newest.feed_id, options)
  const valueAt = async (index: number): Promise<Reading> => {
    const [value] = await reads.getValueHistory(newest.feed_id, { ...options, from: index, to: index + 1 })
    if (value === undefined) throw new TypeError(`${newest.feed_id} has no value with the index ${index}`)
    return readingOf(newest, value)
  }
  return 'asOf' in at ? findUpTo(newest, at.asOf, count, valueAt) : findAt(newest, at, count, valueAt)
}

async function findAt(
  { feed_id }: Reading,
  { index, root }: RootAtIndex,
  count: number,
  valueAt: (index: number) => Promise<Reading>,
): Promise<IndexedReading> {
  const fail = (rule: string) => new SeriesQueryError({ member: 'index', facet: null, rule })
  if (index >= count) throw fail(`${feed_id} has ${count} roots`)
  const reading = await valueAt(index)
  if (!isOfRoot(reading)) throw fail(`${feed_id} has no root with the index ${index}`)
  // Another chain may have been started meanwhile.
  if (!reading.source_hash.startsWith(root))
    throw fail(`${feed_id} has the root ${reading.source_hash} with the index ${index}, not one of ${root}…`)
  return { reading, index }
}

/** Attestations are in the order of their block times, so few of them are read. */
async function findUpTo(
  newest: Reading,
  asOf: number,
  count: number,
  valueAt: (index: number) => Promise<Reading>,
): Promise<IndexedReading> {
  let [past, end] = newest.updated_at <= asOf ? [count, count] : [0, count]
  while (past < end) {
    const middle = (past + end) >>> 1
    if ((await valueAt(middle)).updated_at <= asOf) past = middle + 1
    else end = middle
  }
  for (let index = past - 1; index >= 0; index--) {
    const reading = await valueAt(index)
    if (isOfRoot(reading)) return { reading, index }
  }
  const first = count === 0 ? newest : await valueAt(0)
  throw new RootNotFoundError(newest.feed_id, asOf, first.updated_at)
}

/** Lists the roots among the attestations from one index to before another. One by mistake is left out. */
export async function listRoots(
  reads: RootReads,
  newest: Reading,
  { from, to }: { readonly from: number; readonly to: number },
  options: ReadOptions = {},
): Promise<IndexedReading[]> {
  const values = await reads.getValueHistory(newest.feed_id, { ...options, from, to })
  return values
    .map((value, offset) => ({ reading: readingOf(newest, value), index: from + offset }))
    .filter(({ reading }) => isOfRoot(reading))
}

/** Returns the reading of an earlier attestation, with the newest metadata. */
const readingOf = (newest: Reading, { amount, period, source_hash, timestamp }: Attestation): Reading => ({
  ...newest,
  value: Number(amount),
  amount,
  period,
  source_hash,
  updated_at: timestamp,
})

/** Returns whether an attestation is of a root. One by mistake is passed over. */
const isOfRoot = ({ source_hash, amount }: Reading): boolean =>
  isRoot(source_hash) && amount > 0n && amount <= BigInt(Number.MAX_SAFE_INTEGER)

/** Ids of feeds are in capitals, so another spelling of a dataset finds its feed, but none of its leaves. */
async function assertSpelling(
  reads: RootReads,
  { route, frequency }: Pick<SeriesQuery, 'route' | 'frequency'>,
  found: Reading,
  options: ReadOptions,
): Promise<void> {
  // Of another feed, the rule of `datasetRootOf` says what is wrong.
  if (!hasIdOfItsDataset(found)) return
  const fail = (member: 'route' | 'frequency', rule: string) =>
    new SeriesQueryError({ member, facet: null, rule })
  if (found.route !== route) throw fail('route', `there is no such route; this dataset’s is ${found.route}`)
  if (found.frequency === frequency) return
  const readings = await reads.listReadings(options)
  const ofRoute = readings.filter((each) => each.route === route && hasIdOfItsDataset(each))
  const known = ofRoute.map((each) => each.frequency).sort()
  throw fail('frequency', `the frequencies of ${route} are ${known.join(', ')}`)
}

const hasIdOfItsDataset = ({ feed_id, route, frequency }: Reading): boolean =>
  feed_id === datasetFeedId(route, frequency)
