import {
  assertOfTree,
  datasetFeedId,
  datasetRootOf,
  type Facet,
  type FacetCode,
  findUnknownCode,
  isRoot,
  parseDatasetRecipe,
  readSeries,
  type SeriesAnswer,
  type SeriesQuery,
  type SnapshotFiles,
  type Snapshot as SnapshotOfDataset,
  type UnknownCode,
} from '@wattfeed/dataset'
import { encodePeriod, PeriodError } from '@wattfeed/eia'
import type { Client, Reading, SeriesProof, Snapshot } from 'wattfeed'
import { seriesProofOf } from 'wattfeed/internal'
import { SnapshotMissingError } from 'wattfeed/series'
import { createVariantCache } from '../http/memo.ts'
import { QueryError } from '../http/strictQuery.ts'
import { attestedDatasets, treeOfDataset } from './attestedDatasets.ts'
import { CodesMissingError, DatasetNotFoundError, SeriesAbsentError } from './seriesErrors.ts'
import { createSnapshots, type Snapshots } from './snapshots.ts'

/** By which attestation of a dataset an answer is. */
interface ByRoot {
  /** The root, the number of values and the time of the attestation, with the newest metadata. */
  readonly reading: Reading
  /** Index of the attestation in the feed's history. */
  readonly index: number
  /** The newest root of the dataset. The answer is by an earlier one while the files of the newest are not at hand. */
  readonly newestRoot: string
}

/** What a dataset says about a series, and by which attestation. */
export interface FoundSeries extends SeriesAnswer, ByRoot {}

/** A facet of a dataset. */
export interface FacetQuery extends Pick<SeriesQuery, 'route' | 'frequency'> {
  readonly facet: string
}

/** The codes of a facet, and by which attestation. Nothing proves them. */
export interface FoundCodes extends ByRoot {
  readonly codes: readonly FacetCode[]
}

/** Whether an answer is by the newest root. */
export const isByNewestRoot = ({ reading, newestRoot }: Pick<ByRoot, 'reading' | 'newestRoot'>): boolean =>
  reading.source_hash === newestRoot

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
  /**
   * Lists the codes of a facet, from the snapshot that {@link SeriesReader.read} uses.
   *
   * @throws {QueryError} if the dataset does not have the facet, or its route or frequency is spelled differently.
   * @throws {DatasetNotFoundError} if the dataset has no root on chain.
   * @throws {CodesMissingError} if the snapshot does not list them.
   * @throws {SnapshotMissingError} if no snapshot of a recent root is at hand.
   */
  listCodes(at: Snapshot, query: FacetQuery): Promise<FoundCodes>
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

  /** Reads from the newest snapshot that is at hand. */
  async function readNewest<T>(
    at: Snapshot,
    newest: Reading,
    readOne: (reading: Reading) => Promise<T | null>,
  ): Promise<ByRoot & { readonly found: T }> {
    const newestRoot = newest.source_hash
    const [found, count] = await Promise.all([readOne(newest), at.getValueCount(newest.feed_id)])
    if (found !== null) return { found, reading: newest, index: count - 1, newestRoot }
    for (const { reading, index } of await readOlder(at, newest, count)) {
      const older = await readOne(reading)
      if (older !== null) return { found: older, reading, index, newestRoot }
    }
    throw new SnapshotMissingError(newest.feed_id, newestRoot)
  }

  async function find(at: Snapshot, query: SeriesQuery): Promise<FoundSeries> {
    const newest = await readRoot(at, query)
    const { found, ...byRoot } = await readNewest(at, newest, (reading) => readAt(reading, query))
    return { ...found, ...byRoot }
  }

  /** Reads the facets of a root, with their codes; null if the snapshot is not at hand. */
  async function readFacets(reading: Reading, query: Pick<SeriesQuery, 'route' | 'frequency'>) {
    const tree = treeOfDataset(reading, query)
    return snapshots.read({ feedId: reading.feed_id, root: reading.source_hash }, async (snapshot) => {
      assertOfTree(snapshot, tree)
      return { facets: await snapshot.listFacets() }
    })
  }

  /** The facts of an absence, with what is wrong with the codes of the series. A fault of their list hides no absence. */
  async function absenceOf(
    { statement, reading }: FoundSeries & { statement: 'no_period' | 'no_series' },
    query: SeriesQuery,
  ) {
    const listed = statement === 'no_series' ? await readFacets(reading, query).catch(() => null) : null
    return { query, statement, ...factsOf(reading), unknown: unknownIn(listed?.facets ?? [], query) }
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
      if (!isAbsence(found)) return found
      if (!isByNewestRoot(found)) throw new SnapshotMissingError(found.reading.feed_id, found.newestRoot)
      throw new SeriesAbsentError(await absenceOf(found, query))
    },
    prove: (query, from) =>
      client.withSnapshot(async (at) => {
        const found = await find(at, query)
        const root = await proveRoot(found, from)
        if (root === null) throw await datasetNotFound(at, query)
        const proof = seriesProofOf(root, query, found)
        if (isAbsence(found)) throw new SeriesAbsentError({ ...(await absenceOf(found, query)), proof })
        return proof
      }),
    async listCodes(at, query) {
      const newest = await readDataset(at, query)
      const { route, facet } = query
      const recipe = parseDatasetRecipe(newest.description)
      if (recipe !== null && !recipe.facets.includes(facet))
        throw new QueryError('facet', facet, describeFacets(route, recipe.facets))
      const { found, ...byRoot } = await readNewest(at, newest, (reading) => readFacets(reading, query))
      const codes = found.facets?.find(({ id }) => id === facet)?.codes ?? null
      if (codes !== null) return { codes, ...byRoot }
      const { feed_id: feedId, source_hash: root } = byRoot.reading
      const why = found.facets === null ? 'no list' : 'too many'
      throw new CodesMissingError({ feedId, root, route, facet, why })
    },
  }
}

const isAbsence = (found: FoundSeries): found is FoundSeries & { statement: 'no_period' | 'no_series' } =>
  found.statement === 'no_period' || found.statement === 'no_series'

/** A code of a series that its dataset does not have; `unlisted` if the codes of a facet are not known. */
function unknownIn(facets: readonly Facet[], query: SeriesQuery): UnknownCode | null | 'unlisted' {
  const unknown = findUnknownCode(facets, query.facets)
  if (unknown !== null) return unknown
  const listed = facets.filter(({ codes }) => codes !== null).map(({ id }) => id)
  return Object.keys(query.facets).every((id) => listed.includes(id)) ? null : 'unlisted'
}

const factsOf = ({ amount, source_hash, description }: Reading) => ({
  size: Number(amount),
  periods: parseDatasetRecipe(description)?.periods ?? null,
  root: source_hash,
})

/** Reads the newest root of a dataset. */
async function readDataset(at: Snapshot, query: Pick<SeriesQuery, 'route' | 'frequency'>): Promise<Reading> {
  const reading = await at.getReading(datasetFeedId(query.route, query.frequency))
  if (reading === null) throw await datasetNotFound(at, query)
  await assertSpelling(at, query, reading)
  return reading
}

/** Returns the error for a dataset without a root, which names those that have one. It is useful without them, too. */
async function datasetNotFound(at: Snapshot, { route, frequency }: Pick<SeriesQuery, 'route' | 'frequency'>) {
  const attested = await at.listReadings().then(attestedDatasets, () => null)
  // Anyone can register a feed with another route.
  const known = attested?.filter(({ name }) => name !== null).map(({ reading }) => reading)
  const names = known?.map((each) => `${each.route} ${each.frequency}`) ?? null
  return new DatasetNotFoundError({ route, frequency, known: names })
}

/** Reads the newest root of a dataset, and checks that a query fits the dataset. */
async function readRoot(at: Snapshot, query: SeriesQuery): Promise<Reading> {
  const { route, column } = query
  const reading = await readDataset(at, query)
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
  { route, frequency }: Pick<SeriesQuery, 'route' | 'frequency'>,
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

const describeFacets = (route: string, known: readonly string[]): string =>
  known.length === 0 ? `${route} has no facets` : `the facets of ${route} are ${known.join(', ')}`

function assertFacets({ route, facets }: SeriesQuery, known: readonly string[]): void {
  const all = describeFacets(route, known)
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
