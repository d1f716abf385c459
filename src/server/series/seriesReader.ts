import {
  datasetFeedId,
  datasetRootOf,
  isRoot,
  parseDatasetRecipe,
  readSeries,
  type SeriesAnswer,
  type SeriesQuery,
  type SnapshotFiles,
  type Snapshot as SnapshotOfDataset,
} from '@wattfeed/dataset'
import { encodePeriod, PeriodError } from '@wattfeed/eia'
import type { Client, Reading, SeriesProof, Snapshot } from '../../library/client/index.ts'
import { seriesProofOf } from '../../library/series/createSeriesProof.ts'
import { SnapshotMissingError } from '../../library/series/snapshotMissingError.ts'
import { createVariantCache } from '../http/memo.ts'
import { QueryError } from '../http/strictQuery.ts'
import { DatasetNotFoundError, SeriesAbsentError } from './seriesErrors.ts'
import { createSnapshots, type Snapshots } from './snapshots.ts'

/** What a dataset says about a series, and by which attestation. */
export interface FoundSeries extends SeriesAnswer {
  /** The root, the number of values and the time of the attestation, with the newest metadata. */
  readonly reading: Reading
  /** Index of the attestation in the feed's history. */
  readonly index: number
  /** The newest root of the dataset. The answer is by an earlier one while the files of the newest are not at hand. */
  readonly newestRoot: string
}

/** Whether an answer is by the newest root. */
export const isByNewestRoot = ({
  reading,
  newestRoot,
}: Pick<FoundSeries, 'reading' | 'newestRoot'>): boolean => reading.source_hash === newestRoot

/** Reads series of datasets whose snapshots are at hand. */
export interface SeriesReader {
  /**
   * Reads a series at a state root, from the snapshot of the newest root that is at hand.
   *
   * @throws {QueryError} if the column or a facet is not one of the dataset, or its route or frequency is spelled differently.
   * @throws {DatasetNotFoundError} if the dataset has no root on chain.
   * @throws {SeriesAbsentError} if it has no such value by the newest root.
   * @throws {SnapshotMissingError} if no snapshot of a recent root is at hand, or if an earlier root has no such value: the newest
   * may have it.
   */
  read(at: Snapshot, query: SeriesQuery): Promise<FoundSeries>
  /**
   * Proves what {@link SeriesReader.read} returns. An absence is an error with its proof, also by an earlier root: that proof names
   * its attestation.
   */
  prove(query: SeriesQuery, from: string | null): Promise<SeriesProof>
}

/** Number of newest roots whose snapshots are looked for. */
const MAX_ROOTS = 8

/** Number of answers of an open snapshot that are kept. One takes some kilobytes. */
const MAX_ANSWERS = 256

type SeriesClient = Pick<Client, 'withSnapshot' | 'getFeedProof'>

/** Creates a reader of the snapshots in these places; null without any. */
export const seriesReaderOf = (
  client: SeriesClient,
  places: readonly SnapshotFiles[],
): SeriesReader | null => (places.length === 0 ? null : createSeriesReader(client, createSnapshots(places)))

function createSeriesReader(client: SeriesClient, snapshots: Snapshots): SeriesReader {
  // What a root proves stays right, even if its files are lost or changed later.
  const answers = createVariantCache<SnapshotOfDataset, SeriesAnswer>(MAX_ANSWERS)

  /** Reads the snapshot of a root; null if it is not at hand. */
  async function readAt(reading: Reading, query: SeriesQuery): Promise<SeriesAnswer | null> {
    const tree = datasetRootOf(reading, query)
    const of = { feedId: reading.feed_id, root: reading.source_hash }
    // An attestation may give the same root with another size, which fails.
    const question = { ...query, size: tree.size }
    return snapshots.read(of, (snapshot) =>
      answers(snapshot, question, () => readSeries(snapshot, query, tree)),
    )
  }

  async function find(at: Snapshot, query: SeriesQuery): Promise<FoundSeries> {
    const newest = await readRoot(at, query)
    const newestRoot = newest.source_hash
    const [answer, count] = await Promise.all([readAt(newest, query), at.getValueCount(newest.feed_id)])
    if (answer !== null) return { ...answer, reading: newest, index: count - 1, newestRoot }
    for (const { reading, index } of await readOlder(at, newest, count)) {
      const older = await readAt(reading, query)
      if (older !== null) return { ...older, reading, index, newestRoot }
    }
    throw new SnapshotMissingError(newest.feed_id, newestRoot)
  }

  /** Proves the root of an answer. The newest one may have been replaced since it was read. */
  async function proveRoot(found: FoundSeries, from: string | null) {
    const { reading, index } = found
    const { feed_id, source_hash } = reading
    const newest = isByNewestRoot(found) ? await client.getFeedProof(feed_id, { from }) : null
    if (newest?.reading.source_hash === source_hash) return newest
    return client.getFeedProof(feed_id, { from, index })
  }

  return {
    async read(at, query) {
      const found = await find(at, query)
      const { statement, reading, newestRoot } = found
      if (statement !== 'no_period' && statement !== 'no_series') return found
      if (!isByNewestRoot(found)) throw new SnapshotMissingError(reading.feed_id, newestRoot)
      throw new SeriesAbsentError({ query, statement, ...factsOf(reading) })
    },
    prove: (query, from) =>
      client.withSnapshot(async (at) => {
        const found = await find(at, query)
        const root = await proveRoot(found, from)
        if (root === null) throw new DatasetNotFoundError(query)
        const proof = seriesProofOf(root, query, found)
        const { statement } = proof
        if (statement === 'no_period' || statement === 'no_series')
          throw new SeriesAbsentError({ query, statement, ...factsOf(found.reading), proof })
        return proof
      }),
  }
}

const factsOf = ({ amount, source_hash, description }: Reading) => ({
  size: Number(amount),
  periods: parseDatasetRecipe(description)?.periods ?? null,
  root: source_hash,
})

/** Reads the newest root of a dataset, and checks that a query fits the dataset. */
async function readRoot(at: Snapshot, query: SeriesQuery): Promise<Reading> {
  const { route, frequency, column } = query
  const reading = await at.getReading(datasetFeedId(route, frequency))
  if (reading === null) throw new DatasetNotFoundError({ route, frequency })
  await assertSpelling(at, query, reading)
  const recipe = parseDatasetRecipe(reading.description)
  // Without a recipe, the rule of datasetRootOf says what is wrong.
  if (recipe === null) return reading
  if (!recipe.columns.includes(column))
    throw new QueryError('column', column, `the columns of ${route} are ${recipe.columns.join(', ')}`)
  assertFacets(query, recipe.facets)
  assertPeriod(query)
  return reading
}

/** Ids of feeds are in capitals, so another spelling of a dataset finds its feed, but none of its leaves. */
async function assertSpelling(
  at: Snapshot,
  { route, frequency }: SeriesQuery,
  found: Reading,
): Promise<void> {
  if (found.route !== route && isOfItsId(found))
    throw new QueryError('route', route, `there is no such route; this dataset’s is ${found.route}`)
  if (found.frequency === frequency || !isOfItsId(found)) return
  const datasets = (await at.listReadings()).filter((each) => each.route === route && isOfItsId(each))
  const known = datasets.map((each) => each.frequency).sort()
  throw new QueryError('frequency', frequency, `the frequencies of ${route} are ${known.join(', ')}`)
}

/** Whether a feed has the id of its dataset. Of another one, the rule of datasetRootOf says what is wrong. */
const isOfItsId = ({ feed_id, route, frequency }: Reading): boolean =>
  feed_id === datasetFeedId(route, frequency)

/** A text in another form would be absent, and look as if EIA had no value. */
function assertPeriod({ frequency, period }: SeriesQuery): void {
  if (period === null) return
  try {
    encodePeriod(frequency, period)
  } catch (error) {
    if (!(error instanceof PeriodError)) throw error
    throw new QueryError('period', period, `a ${frequency} period must be ${error.rule}`)
  }
}

function assertFacets({ route, facets }: SeriesQuery, known: readonly string[]): void {
  const all = known.length === 0 ? `${route} has no facets` : `the facets of ${route} are ${known.join(', ')}`
  const unknown = Object.keys(facets).find((id) => !known.includes(id))
  if (unknown !== undefined) throw new QueryError(`facet.${unknown}`, null, `there is no such facet; ${all}`)
  const missing = known.filter((id) => !Object.hasOwn(facets, id))
  const [first] = missing
  if (first === undefined) return
  const rule = `${all}; pass each as facet.<id>, empty where EIA’s rows have none`
  throw new QueryError(`facet.${first}`, null, rule, `missing facets: ${missing.join(', ')}; ${rule}`)
}

/** Reads the roots before the newest one, newest first. */
async function readOlder(
  at: Snapshot,
  newest: Reading,
  count: number,
): Promise<{ reading: Reading; index: number }[]> {
  const from = Math.max(0, count - MAX_ROOTS)
  const values = await at.getValueHistory(newest.feed_id, { from, to: count })
  return values
    .map(({ amount, period, source_hash, timestamp }, offset) => ({
      index: from + offset,
      reading: { ...newest, value: Number(amount), amount, period, source_hash, updated_at: timestamp },
    }))
    .filter(({ reading }) => reading.source_hash !== newest.source_hash && isRootOfDataset(reading))
    .toReversed()
}

/** Whether an attestation is of a root. One by mistake is passed over. */
function isRootOfDataset(reading: Reading): boolean {
  return (
    isRoot(reading.source_hash) && reading.amount > 0n && reading.amount <= BigInt(Number.MAX_SAFE_INTEGER)
  )
}
