import { assertOptions, InvalidArgumentError, type OptionNames } from '@wattfeed/base'
import { type DatasetSeries, type Leaf, type RangeAnswer, readRange } from '@wattfeed/dataset'
import { assertIndex } from '../client/argument.ts'
import type { Client } from '../client/createClient.ts'
import { isByNewestRoot, type RootReads } from './datasetRoots.ts'
import { findAttestedRange, MAX_RANGE_VALUES } from './findAttestedRange.ts'
import { openRead, type SeriesOptions } from './getSeries.ts'

/** The values that {@link getSeriesRange} reads. */
export interface SeriesRangeRequest extends DatasetSeries {
  /**
   * The first period, as EIA's text: `2026-11-02`.
   * @default no bound
   */
  period_from?: string | null
  /**
   * The last period, as EIA's text.
   * @default no bound
   */
  period_to?: string | null
  /**
   * Order of the values, by period.
   * @default 'asc'
   */
  order?: 'asc' | 'desc'
  /**
   * Maximum number of values, from 1 to 5000.
   * @default 1000
   */
  limit?: number
  /**
   * Index of the attestation whose root answers. The pages of a range are of one root with that of the first.
   * @default the newest root whose files are there
   */
  index?: number
}

/** Values of a series, by one root of its dataset. */
export interface SeriesPage {
  /** Id of the feed that has the dataset's roots. */
  readonly feed_id: string
  /**
   * All values of the range in the requested order, up to the limit: there are no others, if the attester of the root had sorted the
   * values.
   */
  readonly items: readonly Pick<Leaf, 'period' | 'value' | 'unit'>[]
  /** Number of values in the dataset. */
  readonly size: number
  /** Root of the dataset: 64 hex digits. */
  readonly root: string
  /** Index of its attestation in the feed's history. */
  readonly index: number
  /** Block time of the attestation, in epoch milliseconds. */
  readonly attested_at: number
  /** Whether no newer root is on chain. */
  readonly is_newest_root: boolean
  /** The request of the next page, by the same root; null after the last. */
  readonly next: SeriesRangeRequest | null
}

const requestNames: OptionNames<SeriesRangeRequest> = {
  route: 1,
  frequency: 1,
  column: 1,
  facets: 1,
  period_from: 1,
  period_to: 1,
  order: 1,
  limit: 1,
  index: 1,
}

const DEFAULT_LIMIT = 1_000

/**
 * Reads values of a series of a dataset in pages: the root from the chain, and the values from files. All values of a page are checked
 * against the root, and so is that it lacks none.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { getSeriesRange } from 'wattfeed/series'
 *
 * const wti = {
 *   route: 'petroleum/pri/spt',
 *   frequency: 'daily',
 *   column: 'value',
 *   facets: { duoarea: 'YCUOK', process: 'PF4', product: 'EPCWTI', series: 'RWTC' },
 * }
 * const files = 'https://example.com/datasets/eia.dataset.petroleum.pri.spt.daily'
 * const page = await getSeriesRange(createClient(), { ...wti, period_from: '2026-11-02' }, { files })
 * for (const { period, value } of page?.items ?? []) console.log(period, value)
 * ```
 *
 * @param reads - a client or a snapshot, which also verifies the root if configured to. All is read at one state root.
 * @param request - with every facet of the dataset; null where EIA's rows have none
 * @returns Null if the dataset is not registered, or has no root. No items if the series has no value in the range.
 * @throws {@link InvalidArgumentError} when a member of the request or an option is unknown or malformed; `argument` names it.
 * @throws {@link SeriesQueryError} when the dataset has no such column, other facets or other periods, or is spelled differently; or no
 * root with the index.
 * @throws {@link SnapshotMissingError} when `files` lacks the snapshots of the newest roots, or an earlier root has no value of the range.
 * @throws {@link SnapshotGoneError} when `files` lacks the snapshot of the root with the index.
 * @throws {@link DatasetError} when the feed is no dataset's, or a file is wrong.
 * @throws {@link HttpFilesError} when the server of the files does not answer.
 * @throws {@link WattfeedError} when the chain cannot be read.
 * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
 */
export async function getSeriesRange(
  reads: Pick<Client, 'snapshot'> | RootReads,
  request: SeriesRangeRequest,
  options: SeriesOptions,
): Promise<SeriesPage | null> {
  assertOptions(request, requestNames, 'range')
  const {
    index,
    period_from = null,
    period_to = null,
    order = 'asc',
    limit = DEFAULT_LIMIT,
    ...series
  } = request
  if (order !== 'asc' && order !== 'desc') throw new InvalidArgumentError('order', "'asc' or 'desc'")
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RANGE_VALUES)
    throw new InvalidArgumentError('limit', `an integer from 1 to ${MAX_RANGE_VALUES}`)
  if (index !== undefined) assertIndex('index', index)
  const range = { ...series, period_from, period_to, order, limit }
  const { at, open, signal } = await openRead(reads, options)
  const found = await findAttestedRange<RangeAnswer>(
    at,
    { range, at: index === undefined ? null : { index, root: '' } },
    async ({ source_hash }, tree) => {
      const snapshot = await open(source_hash)
      return snapshot && readRange(snapshot, range, tree, limit)
    },
    { signal },
  )
  if (found === null) return null
  const { leaves, next, reading } = found
  const items = leaves.map(({ period, value, unit }) => ({ period, value, unit }))
  const bound = order === 'asc' ? { period_from: next } : { period_to: next }
  return {
    feed_id: reading.feed_id,
    items: order === 'asc' ? items : items.toReversed(),
    size: Number(reading.amount),
    root: reading.source_hash,
    index: found.index,
    attested_at: reading.updated_at,
    is_newest_root: isByNewestRoot(found),
    next: next === null ? null : { ...request, index: found.index, ...bound },
  }
}
