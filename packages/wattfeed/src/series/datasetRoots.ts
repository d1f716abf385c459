import { datasetFeedId, isRoot, type SeriesQuery } from '@wattfeed/dataset'
import type { ReadOptions, Reads } from '../client/reads.ts'
import type { Attestation } from '../registry/attestation.ts'
import type { Reading } from '../registry/reading.ts'
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
 * Reads by the newest root whose snapshot is at hand, of the last {@link MAX_ROOTS}.
 *
 * @param readBy reads from the snapshot of a root; null if it is not at hand
 * @throws {SnapshotMissingError} if none is.
 */
export async function readByRoot<T>(
  reads: RootReads,
  newest: Reading,
  readBy: (reading: Reading) => Promise<T | null>,
  options: ReadOptions = {},
): Promise<ByRoot & { readonly found: T }> {
  const newestRoot = newest.source_hash
  const [found, count] = await Promise.all([readBy(newest), reads.getValueCount(newest.feed_id, options)])
  if (found !== null) return { found, reading: newest, index: count - 1, newestRoot }
  const from = Math.max(0, count - MAX_ROOTS)
  const values = await reads.getValueHistory(newest.feed_id, { ...options, from, to: count })
  for (const [offset, value] of [...values.entries()].reverse()) {
    const reading = readingOf(newest, value)
    if (reading.source_hash === newestRoot || !isOfRoot(reading)) continue
    const older = await readBy(reading)
    if (older !== null) return { found: older, reading, index: from + offset, newestRoot }
  }
  throw new SnapshotMissingError(newest.feed_id, newestRoot)
}

/** One attestation of a root, which is the only one that may answer. */
export interface RootAt {
  /** Index of the attestation in the feed's history. */
  readonly index: number
  /** How its root begins: some hex digits. */
  readonly root: string
}

/**
 * Reads by one attestation, however old it is.
 *
 * @param readBy reads from the snapshot of a root; null if it is not at hand
 * @throws {SeriesQueryError} if there is no such attestation.
 * @throws {SnapshotGoneError} if its snapshot is not at hand.
 */
export async function readAtRoot<T>(
  reads: RootReads,
  newest: Reading,
  { index, root }: RootAt,
  readBy: (reading: Reading) => Promise<T | null>,
  options: ReadOptions = {},
): Promise<ByRoot & { readonly found: T }> {
  const { feed_id } = newest
  const fail = (rule: string) => new SeriesQueryError({ member: 'index', facet: null, rule })
  const count = await reads.getValueCount(feed_id, options)
  if (index >= count) throw fail(`${feed_id} has ${count} roots`)
  const [value] = await reads.getValueHistory(feed_id, { ...options, from: index, to: index + 1 })
  const reading = value && readingOf(newest, value)
  if (reading === undefined || !isOfRoot(reading))
    throw fail(`${feed_id} has no root with the index ${index}`)
  // Another chain may have been started meanwhile.
  if (!reading.source_hash.startsWith(root))
    throw fail(`${feed_id} has the root ${reading.source_hash} with the index ${index}, not one of ${root}…`)
  const found = await readBy(reading)
  if (found === null) throw new SnapshotGoneError(feed_id, reading.source_hash, index)
  return { found, reading, index, newestRoot: newest.source_hash }
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
