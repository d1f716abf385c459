import {
  assertOfTree,
  attestedRootOf,
  datasetRootOf,
  type Facet,
  type FacetCode,
  findUnknownCode,
  parseDatasetRecipe,
  type RangeAnswer,
  readRange,
  readSeries,
  type SeriesAnswer,
  type SeriesQuery,
  type SnapshotFiles,
  type Snapshot as SnapshotOfDataset,
  type UnknownCode,
} from '@wattfeed/dataset'
import type { Client, RangeProof, Reading, SeriesProof, Snapshot } from 'wattfeed'
import {
  type ByRoot,
  describeFacets,
  FACET_PARAMETER,
  findAttestedEvidence,
  findAttestedRange,
  findAttestedSeries,
  findRangeEvidence,
  isByNewestRoot,
  MAX_RANGE_VALUES,
  type RangeQuery,
  type RootAt,
  rangeProofOf,
  readByRoot,
  readNewestRoot,
  type SeriesAt,
  seriesProofOf,
} from 'wattfeed/internal'
import { SeriesQueryError } from 'wattfeed/series'
import { createVariantCache } from '../http/memo.ts'
import { QueryError } from '../http/strictQuery.ts'
import { attestedDatasets } from './attestedDatasets.ts'
import { CodesMissingError, DatasetNotFoundError, SeriesAbsentError } from './seriesErrors.ts'
import { createSnapshots, type Snapshots } from './snapshots.ts'

/** What a dataset says about a series, and by which attestation. */
export interface FoundSeries extends SeriesAnswer, ByRoot {}

/** The values of a range, and by which attestation. */
export interface FoundRange extends RangeAnswer, ByRoot {}

/** A range that is asked for. */
export interface RangeRequest extends RangeQuery {
  /** The cursor that names the root, as sent. */
  readonly cursor?: string
}

/** A facet of a dataset. */
export interface FacetQuery extends Pick<SeriesQuery, 'route' | 'frequency'> {
  readonly facet: string
}

/** The codes of a facet, and by which attestation. Nothing proves them. */
export interface FoundCodes extends ByRoot {
  readonly codes: readonly FacetCode[]
}

/** Number of answers of an open snapshot that are kept. One takes some kilobytes. */
const MAX_ANSWERS = 256

type SeriesClient = Pick<Client, 'withSnapshot' | 'getFeedProof'>

/** Creates a reader of the snapshots in these places; null without any. */
export const seriesReaderOf = (
  client: SeriesClient,
  places: readonly SnapshotFiles[],
): SeriesReader | null => (places.length === 0 ? null : new SeriesReader(client, createSnapshots(places)))

/** Reads series of datasets whose snapshots are at hand. */
export class SeriesReader {
  // What a root proves stays right, even if its files are lost or changed later.
  readonly #answers = createVariantCache<SnapshotOfDataset, SeriesAnswer>(MAX_ANSWERS)
  readonly #client: SeriesClient
  readonly #snapshots: Snapshots

  constructor(client: SeriesClient, snapshots: Snapshots) {
    this.#client = client
    this.#snapshots = snapshots
  }

  /**
   * Reads a series at a state root: by the attestation that is asked for, or by the newest whose snapshot is at hand.
   *
   * @throws {QueryError} if the column or a facet is not one of the dataset, its route or frequency is spelled differently, or it has no
   * such attestation.
   * @throws {DatasetNotFoundError} if the dataset has no root on chain.
   * @throws {RootNotFoundError} if it had no root at the time that is asked for.
   * @throws {SeriesAbsentError} if it has no such value by the newest root, or by that attestation.
   * @throws {NotCoveredError} if the snapshot was made without the column or with other facets.
   * @throws {SnapshotMissingError} if no snapshot of a recent root is at hand, or if an earlier root has no such value.
   * @throws {SnapshotGoneError} if the snapshot of the attestation is not at hand.
   */
  async read(at: Snapshot, asked: SeriesAt): Promise<FoundSeries> {
    const found = await this.#find(at, asked, findAttestedSeries)
    if (isAbsence(found)) throw new SeriesAbsentError(await this.#absenceOf(found, asked.series))
    return found
  }

  /**
   * Proves what {@link SeriesReader.read} returns. An absence is an error with its proof, also by an earlier root: that proof names
   * its attestation.
   */
  prove(asked: SeriesAt, from: string | null): Promise<SeriesProof> {
    const { series: query } = asked
    return this.#client.withSnapshot(async (at) => {
      const found = await this.#find(at, asked, findAttestedEvidence)
      const root = await this.#proveRoot(found, asked.at, from)
      if (root === null) throw await datasetNotFound(at, query)
      const proof = seriesProofOf(root, query, found)
      if (isAbsence(found)) throw new SeriesAbsentError({ ...(await this.#absenceOf(found, query)), proof })
      return proof
    })
  }

  /**
   * Reads a range at a state root: by the attestation that it names, or by the newest whose snapshot is at hand.
   *
   * @throws {QueryError} as {@link SeriesReader.read}, and if there is no such attestation.
   * @throws {DatasetNotFoundError} if the dataset has no root on chain.
   * @throws {SeriesAbsentError} if it has no value of the series.
   * @throws {SnapshotMissingError} if no snapshot of a recent root is at hand, or if an earlier root has no value of the range.
   * @throws {SnapshotGoneError} if the snapshot of the attestation is not at hand.
   */
  async readRange(at: Snapshot, query: RangeRequest): Promise<FoundRange> {
    const found = await this.#findRange(at, query, findAttestedRange)
    if (found.hasSeries) return found
    const absence = { ...found, statement: 'no_series' } as const
    throw new SeriesAbsentError(await this.#absenceOf(absence, { ...query.range, period: null }))
  }

  /** Proves what {@link SeriesReader.readRange} returns, or that there is no such value. */
  proveRange(query: RangeRequest, from: string | null): Promise<RangeProof> {
    return this.#client.withSnapshot(async (at) => {
      const found = await this.#findRange(at, query, findRangeEvidence)
      const root = await this.#proveRoot(found, query.at, from)
      if (root === null) throw await datasetNotFound(at, query.range)
      return rangeProofOf(root, query.range, found.evidence)
    })
  }

  /** Reads what a root says of a series; null if its snapshot is not at hand. @throws {SnapshotFaultError} if a file is wrong. */
  readRoot(reading: Reading, query: SeriesQuery): Promise<SeriesAnswer | null> {
    const { feed_id: feedId, source_hash: root } = reading
    const tree = datasetRootOf(reading, query)
    return this.#snapshots.read({ feedId, root }, (snapshot) =>
      // An attestation may give the same root with another size, which fails.
      this.#answers(snapshot, { ...query, size: tree.size }, () => readSeries(snapshot, query, tree)),
    )
  }

  /**
   * Lists the codes of a facet, from the snapshot that {@link SeriesReader.read} uses.
   *
   * @throws {QueryError} if the dataset does not have the facet, or its route or frequency is spelled differently.
   * @throws {DatasetNotFoundError} if the dataset has no root on chain.
   * @throws {CodesMissingError} if the snapshot does not list them.
   * @throws {SnapshotMissingError} if no snapshot of a recent root is at hand.
   */
  async listCodes(at: Snapshot, query: FacetQuery): Promise<FoundCodes> {
    const newest = await inWordsOfUrl(query, readNewestRoot(at, query))
    if (newest === null) throw await datasetNotFound(at, query)
    const { route, facet } = query
    const recipe = parseDatasetRecipe(newest.description)
    if (recipe !== null && !recipe.facets.includes(facet))
      throw new QueryError('facet', facet, describeFacets(route, recipe.facets))
    const { found, ...byRoot } = await readByRoot(at, newest, null, (reading) =>
      this.#readFacets(reading, query),
    )
    const codes = found.facets?.find(({ id }) => id === facet)?.codes ?? null
    if (codes !== null) return { codes, ...byRoot }
    const { feed_id: feedId, source_hash: root } = byRoot.reading
    const why = found.facets === null ? 'no list' : 'too many'
    throw new CodesMissingError({ feedId, root, route, facet, why })
  }

  /** Finds a series by the library's rule for reads, or by that for proofs. */
  async #find(at: Snapshot, asked: SeriesAt, find: typeof findAttestedSeries): Promise<FoundSeries> {
    const { series: query } = asked
    const found = await inWordsOfUrl(
      { ...query, ...indexOf(asked.at) },
      find(at, asked, (reading) => this.readRoot(reading, query)),
    )
    if (found === null) throw await datasetNotFound(at, query)
    return found
  }

  /** Finds a range by the library's rule for reads, or by that for proofs. */
  async #findRange(at: Snapshot, query: RangeRequest, find: typeof findAttestedRange): Promise<FoundRange> {
    const { range, cursor } = query
    const found = await inWordsOfUrl(
      { ...range, ...indexOf(query.at), cursor },
      find(at, query, ({ feed_id: feedId, source_hash: root }, tree) =>
        this.#snapshots.read({ feedId, root }, (snapshot) =>
          readRange(snapshot, range, tree, MAX_RANGE_VALUES),
        ),
      ),
    )
    if (found === null) throw await datasetNotFound(at, range)
    return found
  }

  /** Reads the facets of a root, with their codes; null if the snapshot is not at hand. */
  async #readFacets(reading: Reading, query: Pick<SeriesQuery, 'route' | 'frequency'>) {
    const { tree } = attestedRootOf(reading, query)
    return this.#snapshots.read({ feedId: reading.feed_id, root: reading.source_hash }, async (snapshot) => {
      assertOfTree(snapshot, tree)
      return { facets: await snapshot.listFacets() }
    })
  }

  /** The facts of an absence, with what is wrong with the codes of the series. A fault of their list hides no absence. */
  async #absenceOf(
    { statement, reading, coversFrom }: Pick<Absence, 'statement' | 'reading' | 'coversFrom'>,
    query: SeriesQuery,
  ) {
    const listed = statement === 'no_series' ? await this.#readFacets(reading, query).catch(() => null) : null
    const unknown = unknownIn(listed?.facets ?? [], query)
    return { query, statement, ...factsOf(reading), coversFrom, unknown }
  }

  /** Proves the root of an answer: by its index if one was asked for. The newest one may have been replaced since it was read. */
  async #proveRoot(found: ByRoot, at: RootAt | null, from: string | null) {
    const { reading, index } = found
    const { feed_id, source_hash } = reading
    const newest =
      at === null && isByNewestRoot(found) ? await this.#client.getFeedProof(feed_id, { from }) : null
    if (newest?.reading.source_hash === source_hash) return newest
    return this.#client.getFeedProof(feed_id, { from, index })
  }
}

/** The index of a root that is asked for, as text. */
export const indexOf = (at: RootAt | null): { index?: string } =>
  at === null || 'asOf' in at ? {} : { index: String(at.index) }

/**
 * Names the parameter of the URL in the error for a query that does not fit its dataset.
 *
 * @param query - has the parameters as texts. With a `cursor`, that names the root.
 */
export async function inWordsOfUrl<T>(query: object, read: Promise<T>): Promise<T> {
  try {
    return await read
  } catch (error) {
    if (!(error instanceof SeriesQueryError)) throw error
    const { member, facet, rule } = error
    const name = member === 'index' && textOf(query, 'cursor') !== null ? 'cursor' : member
    if (name !== 'facets') throw new QueryError(name, textOf(query, name), rule)
    if (facet !== null) throw new QueryError(`${FACET_PARAMETER}${facet}`, null, rule)
    const all = `${rule}; pass each as facet.<id>, empty where EIA’s rows have none`
    throw new QueryError('facet', null, all, all)
  }
}

/** Returns a parameter as it was sent; null without it. */
function textOf(query: object, name: string): string | null {
  const text: unknown = new Map(Object.entries(query)).get(name)
  return typeof text === 'string' ? text : null
}

type Absence = FoundSeries & { readonly statement: 'no_period' | 'no_series' }

const isAbsence = (found: FoundSeries): found is Absence =>
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

/** Returns the error for a dataset without a root, which names those that have one. It is useful without them, too. */
export async function datasetNotFound(
  at: Snapshot,
  { route, frequency }: Pick<SeriesQuery, 'route' | 'frequency'>,
) {
  const attested = await at.listReadings().then(attestedDatasets, () => null)
  // Anyone can register a feed with another route.
  const known = attested?.filter(({ name }) => name !== null).map(({ reading }) => reading)
  const names = known?.map((each) => `${each.route} ${each.frequency}`) ?? null
  return new DatasetNotFoundError({ route, frequency, known: names })
}
