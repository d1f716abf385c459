import { nearestName } from '@wattfeed/base'
import type { EiaRecord, SnapshotFiles } from '@wattfeed/dataset'
import type { SnapshotTable } from '@wattfeed/dataset/table'
import { datasets, findDataset } from '@wattfeed/eia/catalog'
import { eiaFrequency } from '@wattfeed/eia/internal'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Snapshot } from 'wattfeed'
import type { ByRoot, RootAt } from 'wattfeed/internal'
import { type AttestedDataset, attestedDatasets } from '../readers/attestedDatasets.ts'
import type { AttestedTables, TableAsked } from '../readers/attestedTables.ts'
import { SnapshotFaultError } from '../readers/seriesErrors.ts'
import type { DatasetRoot, Opened } from '../readers/snapshots.ts'
import { EiaNotAttestedError, EiaRouteError } from './eiaErrors.ts'
import { assertOptions } from './eiaQuery.ts'
import { createRecords, type KeptRecord } from './keptRecords.ts'
import { createRowFinder } from './rowFinder.ts'

/** A route, and the time whose state answers. */
export interface RouteAsked {
  /** EIA's route, below `/v2/`. */
  readonly route: string
  /** Null for the newest root whose files are there. */
  readonly at: RootAt | null
}

/** What snapshots record of EIA about a dataset. */
export interface Recorded {
  /** Null if neither the snapshot that answers nor the newest one records anything. */
  readonly record: EiaRecord | null
  /** Whether the record is that of the newest snapshot, because the one that answers has none: for instance one from an archive. */
  readonly isNewer: boolean
}

/** A table that answers, with what is recorded of EIA. */
export interface EiaTable extends Recorded {
  readonly table: SnapshotTable
}

/** What a record has of the route: some kilobytes. */
export type RouteRecord = Pick<EiaRecord, 'metadata' | 'levels'>

/** The first level shows a dataset of each route below it. */
const MAX_ROUTE_RECORDS = 1_000

/** Reads what EIA's API would answer from the snapshots of attested datasets. */
export class EiaReader {
  readonly findRows = createRowFinder()
  readonly #tables: AttestedTables
  readonly #records: Opened<KeptRecord>
  readonly #routeRecords = new LRUCache<string, RouteRecord>({ max: MAX_ROUTE_RECORDS })
  /** A record takes several times its size while it is parsed, so only one is. Others then find it in memory. */
  readonly #limit = pLimit(1)

  constructor(tables: AttestedTables, places: readonly SnapshotFiles[]) {
    this.#tables = tables
    this.#records = createRecords(places)
  }

  /**
   * Reads from the table of a dataset at a state root.
   *
   * @throws what {@link AttestedTables.read} throws.
   */
  read<T>(
    at: Snapshot,
    asked: TableAsked,
    use: (table: EiaTable) => Promise<T>,
  ): Promise<ByRoot & { readonly found: T }> {
    return this.#tables.read(at, asked, async (table, root) =>
      use({ table, ...(await this.#recordOf(at, root)) }),
    )
  }

  async #recordOf(at: Snapshot, root: DatasetRoot): Promise<Recorded> {
    const record = await this.#readRecord(root)
    if (record !== null) return { record, isNewer: false }
    const newest = await at.getReading(root.feedId)
    const newer = newest && (await this.#readRecord({ feedId: root.feedId, root: newest.source_hash }))
    return { record: newer, isNewer: newer !== null }
  }

  /** Reads what the snapshot of a root records of EIA; null if it records nothing, is malformed, or is not at hand. */
  async #readRecord(root: DatasetRoot): Promise<EiaRecord | null> {
    try {
      return await this.#limit(() => this.#records.read(root, async ({ record }) => record))
    } catch (error) {
      // No root covers a record, and nothing of an answer needs it.
      if (error instanceof SnapshotFaultError) return null
      throw error
    }
  }

  /** Reads what that record has of the route, which stays in memory. */
  async readRouteRecord(root: DatasetRoot): Promise<RouteRecord | null> {
    const key = `${root.feedId} ${root.root}`
    const kept = this.#routeRecords.get(key)
    if (kept !== undefined) return kept
    const record = await this.#readRecord(root)
    if (record === null) return null
    const { metadata, levels } = record
    this.#routeRecords.set(key, { metadata, levels })
    return { metadata, levels }
  }

  /**
   * Returns the frequency that a request means: EIA's default without one.
   *
   * @throws {EiaRouteError} if EIA has no such route.
   * @throws {EiaNotAttestedError} if it has, but none is attested.
   * @throws {EiaOptionError} if the frequency is not attested.
   */
  async frequencyOf(at: Snapshot, { route }: RouteAsked, given?: string): Promise<string> {
    const attested = await listOfRoute(at, route)
    const frequencies = frequenciesOf(attested)
    if (given !== undefined && given !== '') {
      assertOptions('frequency', [given], frequencies, findDataset(route)?.frequencies)
      return given
    }
    const [first = '', ...others] = frequencies
    const [dataset] = attested
    if (others.length === 0 || dataset === undefined) return first
    const record = await this.readRouteRecord(rootOf(dataset))
    const byDefault = record?.metadata.defaultFrequency
    return frequencies.find((each) => each === byDefault) ?? first
  }
}

/** The newest root of a dataset. */
export const rootOf = ({ reading }: AttestedDataset): DatasetRoot => ({
  feedId: reading.feed_id,
  root: reading.source_hash,
})

/** Lists the attested datasets that EIA's catalog has. Anyone can register a feed with another route. */
export const listAttested = async (at: Snapshot): Promise<AttestedDataset[]> =>
  attestedDatasets(await at.listReadings()).filter(({ name }) => name !== null)

/**
 * Lists the attested datasets of a route, one for each frequency.
 *
 * @throws {EiaRouteError} if EIA has no such route.
 * @throws {EiaNotAttestedError} if it has, but none is attested.
 */
async function listOfRoute(at: Snapshot, route: string): Promise<AttestedDataset[]> {
  const attested = await listAttested(at)
  const found = attested.filter(({ reading }) => reading.route === route)
  if (found.length > 0) return found
  throw routeError(route, attested)
}

/** Length of a route from which its start is enough to find one that is spelled alike. */
const MAX_COMPARED = 100

/** Returns the error for a route without attested datasets. */
export function routeError(route: string, datasetsHere: readonly AttestedDataset[]) {
  const attested = [...new Set(datasetsHere.map(({ reading }) => reading.route))]
  return datasets.some((each) => each.route === route || each.route.startsWith(`${route}/`))
    ? new EiaNotAttestedError({ route, attested })
    : new EiaRouteError({ nearest: nearestName(route.slice(0, MAX_COMPARED), attested) ?? null })
}

/** Frequencies of datasets of one route, in the order of EIA's catalog. */
export function frequenciesOf(attested: readonly AttestedDataset[]): string[] {
  const found = attested.map(({ reading }) => reading.frequency)
  const order = findDataset(attested[0]?.reading.route ?? '')?.frequencies ?? []
  return found.toSorted((one, other) => order.indexOf(one) - order.indexOf(other))
}

/** Returns the form of a dataset's periods. */
export const dateFormatOf = (frequency: string, record: EiaRecord | null): string =>
  record?.dateFormat ?? eiaFrequency(frequency).format
