import {
  datasetFeedId,
  datasetRootOf,
  isRoot,
  parseDatasetRecipe,
  readSeries,
  type SeriesAnswer,
  type SeriesQuery,
  type SnapshotFiles,
} from '@wattfeed/dataset'
import { encodePeriod, PeriodError } from '@wattfeed/eia'
import type { Client, Reading, SeriesProof, Snapshot } from '../../library/client/index.ts'
import { seriesProofOf } from '../../library/series/createSeriesProof.ts'
import { SnapshotMissingError } from '../../library/series/snapshotMissingError.ts'
import { QueryError } from '../http/strictQuery.ts'
import { DatasetNotFoundError, SeriesAbsentError } from './seriesErrors.ts'
import { createSnapshots, type Snapshots } from './snapshots.ts'

/** What a dataset says about a series, and by which attestation. */
export interface FoundSeries extends SeriesAnswer {
  /** The root, the number of values and the time of the attestation, with the newest metadata. */
  readonly reading: Reading
  /** Index of the attestation in the feed's history. */
  readonly index: number
  /** Whether it is the newest. */
  readonly isNewest: boolean
}

/** Reads series of datasets whose snapshots are at hand. */
export interface SeriesReader {
  /**
   * Reads a series at a state root, from the snapshot of the newest root that is at hand.
   *
   * @throws {QueryError} if the column or a facet is not one of the dataset.
   * @throws {DatasetNotFoundError} if the dataset has no root on chain.
   * @throws {SeriesAbsentError} if it has no such value.
   * @throws {SnapshotMissingError} if no snapshot of a recent root is at hand.
   */
  read(at: Snapshot, query: SeriesQuery): Promise<FoundSeries>
  /** Proves what {@link SeriesReader.read} returns. An absence is an error with its proof. */
  prove(query: SeriesQuery, from: string | null): Promise<SeriesProof>
}

/** Number of newest roots whose snapshots are looked for. */
const MAX_ROOTS = 8

type SeriesClient = Pick<Client, 'withSnapshot' | 'getFeedProof'>

/** Creates a reader of the snapshots in these places; null without any. */
export const seriesReaderOf = (
  client: SeriesClient,
  places: readonly SnapshotFiles[],
): SeriesReader | null => (places.length === 0 ? null : createSeriesReader(client, createSnapshots(places)))

function createSeriesReader(client: SeriesClient, snapshots: Snapshots): SeriesReader {
  /** Reads the snapshot of a root; null if it is not at hand. */
  async function readAt(reading: Reading, query: SeriesQuery): Promise<SeriesAnswer | null> {
    const tree = datasetRootOf(reading, query)
    const of = { feedId: reading.feed_id, root: reading.source_hash }
    return snapshots.read(of, (snapshot) => readSeries(snapshot, query, tree))
  }

  async function find(at: Snapshot, query: SeriesQuery): Promise<FoundSeries> {
    const newest = await readRoot(at, query)
    const [answer, count] = await Promise.all([readAt(newest, query), at.getValueCount(newest.feed_id)])
    if (answer !== null) return { ...answer, reading: newest, index: count - 1, isNewest: true }
    for (const { reading, index } of await readOlder(at, newest, count)) {
      const older = await readAt(reading, query)
      if (older !== null) return { ...older, reading, index, isNewest: false }
    }
    throw new SnapshotMissingError(newest.feed_id, newest.source_hash)
  }

  /** Proves the root of an answer. The newest one may have been replaced since it was read. */
  async function proveRoot({ reading, index, isNewest }: FoundSeries, from: string | null) {
    const { feed_id, source_hash } = reading
    const newest = isNewest ? await client.getFeedProof(feed_id, { from }) : null
    if (newest?.reading.source_hash === source_hash) return newest
    return client.getFeedProof(feed_id, { from, index })
  }

  return {
    async read(at, query) {
      const found = await find(at, query)
      const { statement } = found
      if (statement === 'no_period' || statement === 'no_series')
        throw new SeriesAbsentError({ query, statement, ...factsOf(found.reading) })
      return found
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
  const recipe = parseDatasetRecipe(reading.description)
  // Without a recipe, the rule of datasetRootOf says what is wrong.
  if (recipe === null) return reading
  if (!recipe.columns.includes(column))
    throw new QueryError('column', column, `the columns of ${route} are ${recipe.columns.join(', ')}`)
  assertFacets(query, recipe.facets)
  assertPeriod(query)
  return reading
}

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
