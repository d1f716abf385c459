import type { SeriesAnswer, SeriesQuery } from '@wattfeed/dataset'
import type { Snapshot } from 'wattfeed'
import { assertSeries, type IndexedReading, listRoots, readNewestRoot, revisionOf } from 'wattfeed/internal'
import type { SeriesRevisionsBody } from '../../api/schemas.ts'
import { QueryError } from '../http/strictQuery.ts'
import { formatSeriesProofPath } from './seriesBody.ts'
import { datasetNotFound, inWordsOfUrl, type SeriesReader } from './seriesReader.ts'

/** Which revisions of a value are asked for. */
export interface RevisionsRequest {
  readonly series: SeriesQuery & { readonly period: string }
  readonly order: 'asc' | 'desc'
  readonly limit: number
  /** Index of the first attestation of the page; null for the first of all. */
  readonly start: number | null
}

/** What each root says of a value, in the order of attestation. */
export interface Revisions {
  readonly feedId: string
  /** Number of attestations. */
  readonly count: number
  readonly items: SeriesRevisionsBody['items']
  /** Index of the first attestation of the next page; null on the last. */
  readonly next: number | null
}

/**
 * Reads what each root of a page says of a value.
 *
 * @throws {QueryError} if the series does not fit the dataset, or the page starts after its last attestation.
 * @throws {DatasetNotFoundError} if the dataset has no root on chain.
 * @throws {SnapshotFaultError} if a file of a snapshot is wrong.
 */
export async function readRevisions(
  reader: SeriesReader,
  at: Snapshot,
  request: RevisionsRequest,
): Promise<Revisions> {
  const { series, order } = request
  const newest = await inWordsOfUrl(series, readNewestRoot(at, series))
  if (newest === null) throw await datasetNotFound(at, series)
  await inWordsOfUrl(series, (async () => assertSeries(series, newest))())
  const count = await at.getValueCount(newest.feed_id)
  const { from, to, next } = pageOf(request, count)
  const roots = await listRoots(at, newest, { from, to })
  const items: SeriesRevisionsBody['items'] = []
  // One after the other, because each snapshot takes memory while it is read; and the newest first, because one in the archive is rebuilt
  // from a later one.
  for (const root of roots.toReversed())
    items.push(itemOf(root, await reader.readRoot(root.reading, series), series))
  return { feedId: newest.feed_id, count, items: order === 'asc' ? items.reverse() : items, next }
}

/** Returns the indices of a page, and where the next one starts. @throws {QueryError} if no attestation is there. */
function pageOf({ order, limit, start }: RevisionsRequest, count: number) {
  if (start !== null && start >= count)
    throw new QueryError('cursor', String(start), `the dataset has attestations from 0 to ${count - 1}`)
  if (order === 'asc') {
    const from = start ?? 0
    const to = Math.min(from + limit, count)
    return { from, to, next: to < count ? to : null }
  }
  const to = start === null ? count : start + 1
  const from = Math.max(0, to - limit)
  return { from, to, next: from > 0 ? from - 1 : null }
}

function itemOf(
  root: IndexedReading,
  answer: SeriesAnswer | null,
  series: RevisionsRequest['series'],
): SeriesRevisionsBody['items'][number] {
  const revision = revisionOf(root, answer)
  const isProven = revision.statement !== 'gone' && revision.statement !== 'not_covered'
  return { ...revision, proof: isProven ? formatSeriesProofPath(series, root.index) : null }
}
