import { assertOptions, InvalidArgumentError, type OptionNames } from '@wattfeed/base'
import {
  type DatasetSeries,
  filesBelow,
  findUnknownCode,
  httpFiles,
  openSnapshot,
  readSeries,
  type SeriesAnswer,
  type Snapshot,
  type SnapshotFiles,
  type Statement,
  type UnknownCode,
} from '@wattfeed/dataset'
import { assertIndex, assertMoment, parseHttpUrl, readOptionNames } from '../client/argument.ts'
import type { Client } from '../client/createClient.ts'
import type { ReadOptions } from '../client/reads.ts'
import { isByNewestRoot, type RootAt, type RootReads } from './datasetRoots.ts'
import type { ReadRoot } from './findAttested.ts'
import { findAttestedSeries } from './findAttestedSeries.ts'

/** The series that {@link getSeries} reads. */
export interface SeriesRequest extends DatasetSeries {
  /**
   * EIA's text of the period: `2026-11-20`.
   * @default the newest period of the series
   */
  period?: string | null
  /**
   * A time in epoch milliseconds. The newest root that was attested up to then answers, and no other.
   * @default the newest root whose files are there
   */
  as_of?: number
  /** Index of the attestation whose root answers, in place of `as_of`. */
  index?: number
}

/** Options of {@link getSeries}. */
export interface SeriesOptions extends ReadOptions {
  /**
   * Where the dataset's snapshots are: the URL of a folder, or the files of one. Each snapshot is in a folder below it that has the
   * root as its name. The files may come from anyone: they are checked against the root.
   */
  files: SnapshotFiles | string
  /**
   * Function for HTTP requests of files. They do not follow redirects, and their size is limited.
   * @default globalThis.fetch
   */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

const requestNames: OptionNames<SeriesRequest> = {
  ...{ route: 1, frequency: 1, column: 1, facets: 1, period: 1, as_of: 1, index: 1 },
}

/** What a dataset says about a series, by the newest root whose snapshot is at hand. */
export interface Series {
  /** Id of the feed that has the dataset's roots. */
  readonly feed_id: string
  /** EIA's text of the value's period; null if there is none. */
  readonly period: string | null
  /** The value as EIA sent it, with every digit; null if EIA withholds it, or if there is none. */
  readonly value: string | null
  /** Its unit; null without one, or without a value. */
  readonly unit: string | null
  /**
   * `value` or `newest`: there is a value. `no_period`: the series has none for the period. `no_series`: it has none at all. The last
   * three hold if the attester of the root had sorted the values.
   */
  readonly statement: Statement
  /**
   * For `no_series`: a facet's code that the dataset does not list, with the one that it most likely means. Nothing proves that list.
   * Null if all codes are there, or if they are not known.
   */
  readonly unknown_code: UnknownCode | null
  /** Index of the value in the dataset; null if there is none. */
  readonly index: number | null
  /** Number of values in the dataset. */
  readonly size: number
  /** Root of the dataset: 64 hex digits. */
  readonly root: string
  /** Block time of the attestation, in epoch milliseconds. */
  readonly attested_at: number
  /** Index of its attestation in the feed's history. */
  readonly root_index: number
  /**
   * EIA's text of the first period of any value that the root covers, as the snapshot states it; null if it does not. Nothing proves it.
   */
  readonly covers_from: string | null
  /**
   * False while the place lacks the files of the newest root. The value is then by an earlier one, of the last eight. An earlier root
   * answers with no absence, because the newest may have the value. False if another root is newer than that of `as_of` or `index`.
   */
  readonly is_newest_root: boolean
}

/**
 * Reads a series of a dataset: the root from the chain, and the value from files, which are checked against the root.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { getSeries } from 'wattfeed/series'
 *
 * const wti = {
 *   route: 'petroleum/pri/spt',
 *   frequency: 'daily',
 *   column: 'value',
 *   facets: { duoarea: 'YCUOK', process: 'PF4', product: 'EPCWTI', series: 'RWTC' },
 * }
 * const files = 'https://example.com/datasets/eia.dataset.petroleum.pri.spt.daily'
 * const found = await getSeries(createClient(), wti, { files })
 * console.log(found?.value, found?.unit, found?.period) // 59.91 $/BBL 2026-11-16
 * ```
 *
 * @param reads - a client or a snapshot, which also verifies the root if configured to. All is read at one state root.
 * @param request - with every facet of the dataset; null where EIA's rows have none
 * @returns Null if the dataset is not registered, or has no root.
 * @throws {@link InvalidArgumentError} when a member of the request or an option is unknown or malformed; `argument` names it.
 * @throws {@link SeriesQueryError} when the dataset has no such column, other facets or other periods, or is spelled differently; or no
 * root with the index.
 * @throws {@link RootNotFoundError} when the dataset had no root at the time of `as_of`.
 * @throws {@link SnapshotMissingError} when `files` lacks the snapshots of the newest roots, or an earlier root has no such value.
 * @throws {@link SnapshotGoneError} when `files` lacks the snapshot of the root of `as_of` or `index`.
 * @throws {@link NotCoveredError} when the snapshot was made without the column or with other facets.
 * @throws {@link DatasetError} when the feed is no dataset's, or a file is wrong.
 * @throws {@link HttpFilesError} when the server of the files does not answer.
 * @throws {@link WattfeedError} when the chain cannot be read.
 * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
 */
export async function getSeries(
  reads: Pick<Client, 'snapshot'> | RootReads,
  request: SeriesRequest,
  options: SeriesOptions,
): Promise<Series | null> {
  assertOptions(request, requestNames, 'series')
  const { as_of: _, index: __, ...series } = request
  const query = { ...series, period: request.period ?? null }
  const root = rootOf(request)
  const { at, open, signal } = await openRead(reads, options)
  const readRoot: ReadRoot<SeriesAnswer & { snapshot: Snapshot }> = async ({ source_hash }, tree) => {
    const snapshot = await open(source_hash)
    return snapshot && { ...(await readSeries(snapshot, query, tree)), snapshot }
  }
  const found = await findAttestedSeries(at, { series: query, at: root }, readRoot, { signal })
  if (found === null) return null
  const { statement, leaf, leaves, snapshot, reading } = found
  return {
    feed_id: reading.feed_id,
    period: leaf?.period ?? null,
    value: leaf?.value ?? null,
    unit: leaf?.unit ?? null,
    statement,
    unknown_code: statement === 'no_series' ? await findUnknown(snapshot, query) : null,
    index: leaf === null ? null : (leaves[0]?.index ?? null),
    size: Number(reading.amount),
    root: reading.source_hash,
    attested_at: reading.updated_at,
    root_index: found.index,
    covers_from: found.coversFrom,
    is_newest_root: isByNewestRoot(found),
  }
}

/** Returns which root a request names; null for the newest whose files are there. @throws {InvalidArgumentError} */
export function rootOf({ as_of, index }: Pick<SeriesRequest, 'as_of' | 'index'>): RootAt | null {
  if (index !== undefined) {
    assertIndex('index', index)
    if (as_of !== undefined) throw new InvalidArgumentError('as_of', 'left out together with index')
    return { index, root: '' }
  }
  if (as_of === undefined) return null
  assertMoment('as_of', as_of)
  return { asOf: as_of }
}

/** Returns the reads at one state root, and what opens the snapshot of a root. @throws {InvalidArgumentError} */
export async function openRead(reads: Pick<Client, 'snapshot'> | RootReads, options: SeriesOptions) {
  assertOptions(options, { ...readOptionNames, files: 1, fetch: 1 })
  const { files, fetch, signal } = options
  const given =
    typeof files === 'string'
      ? httpFiles(parseHttpUrl('files', files), fetch === undefined ? {} : { fetch })
      : files
  return {
    at: 'snapshot' in reads ? await reads.snapshot({ signal }) : reads,
    open: (root: string) => openSnapshot(filesBelow(given, root)),
    signal,
  }
}

/** Compares codes with those that a snapshot lists. It may not list them, and a fault of the list hides no statement. */
async function findUnknown(snapshot: Snapshot, { facets }: DatasetSeries): Promise<UnknownCode | null> {
  const listed = await snapshot.listFacets().catch(() => null)
  return listed === null ? null : findUnknownCode(listed, facets)
}
