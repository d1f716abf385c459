import { limitTime } from '@wattfeed/base'
import type { DatasetSeries } from '@wattfeed/dataset'
import { findDataset } from '@wattfeed/eia/catalog'
import type { Reading, Snapshot } from 'wattfeed'
import { feedHref, feedIdOf, isFeedsPath } from '../../web/site/feedPath.ts'
import { nearestIds } from '../../web/site/nearest.ts'
import { SERIES_PATH, seriesOf, seriesTitle } from '../../web/site/seriesPath.ts'
import { clip } from '../feedTexts.ts'
import { QueryError } from '../http/strictQuery.ts'
import { DatasetNotFoundError, SeriesAbsentError } from '../readers/seriesErrors.ts'
import type { FoundRange, SeriesReader } from '../readers/seriesReader.ts'
import type { Server } from '../server.ts'
import { type DescribedFeed, describeFeed } from './describeFeed.ts'
import { type ExplorerPage, explorerPages, SERIES_PAGE } from './explorerPages.ts'
import { readFirstPeriod } from './firstPeriod.ts'

/** What the server knows of the explorer's page at a path before the page's script runs. */
export type PageFacts =
  | { readonly kind: 'feed'; readonly reading: Reading; readonly feed: DescribedFeed }
  /** The feed is registered, but has no value yet. */
  | { readonly kind: 'noValue'; readonly feedId: string }
  /** The chain has no such feed. */
  | { readonly kind: 'unknownFeed'; readonly feedId: string; readonly nearest: readonly string[] }
  /** `found` has the newest values by the newest root, or by that of the address; null if they could not be read. */
  | {
      readonly kind: 'series'
      readonly series: DatasetSeries
      readonly title: string
      readonly found: FoundRange | null
    }
  /** There is no such dataset, column, facet or series. */
  | {
      readonly kind: 'unknownSeries'
      readonly title: string
      /** The code of the error. */
      readonly code: string
      /** What is wrong, and what there is. */
      readonly reason: string
    }
  /** The node failed, or did not answer in time. The page shows the fault itself. */
  | { readonly kind: 'unread'; readonly feedId: string }
  /** `readings` is null where the page does not list them, and if they could not be read. */
  | { readonly kind: 'page'; readonly page: ExplorerPage; readonly readings: readonly Reading[] | null }
  | { readonly kind: 'unknownPage'; readonly path: string }

type Place = Pick<Server, 'client' | 'site'>

interface PagePlace extends Place {
  /** Null without snapshots of datasets. */
  readonly series: Pick<SeriesReader, 'readRange'> | null
}

/** The address of a page. */
interface PageAddress {
  readonly path: string
  readonly query: URLSearchParams
}

/** Reads what a page is about. A page waits some milliseconds for the facts of the chain. */
export async function readPageFacts(
  place: PagePlace,
  { path, query }: PageAddress,
  maxWaitMs = 500,
): Promise<PageFacts> {
  const feedId = feedIdOf(path)
  const page = pageAt(path)
  if (feedId !== null && feedHref(feedId) !== null) {
    const facts = await readInTime(place, maxWaitMs, (at) => readFeedFacts(at, feedId, place))
    return facts ?? { kind: 'unread', feedId }
  }
  if (path.replace(/\/$/, '') === SERIES_PATH) return readSeriesFacts(place, query, maxWaitMs)
  if (page === null) return { kind: 'unknownPage', path }
  const readings = isListPath(path) ? await readInTime(place, maxWaitMs, (at) => at.listReadings()) : null
  return { kind: 'page', page, readings }
}

/**
 * Whether the page's first bytes wait for the list of feeds. Those of the home page do not: its script requests the list, and
 * without the script it links here.
 */
const isListPath = (path: string): boolean => /^\/explorer\/feeds\/?$/.test(path)

function pageAt(path: string): ExplorerPage | null {
  const canonical = isFeedsPath(path) ? '/' : path.replace(/\/$/, '')
  return explorerPages.find((page) => page.path === canonical) ?? null
}

async function readFeedFacts(at: Snapshot, feedId: string, { site }: Place): Promise<PageFacts> {
  const reading = await at.getReading(feedId)
  if (reading !== null)
    return {
      kind: 'feed',
      reading,
      feed: describeFeed(reading, await readFirstPeriod(at, feedId), site),
    }
  const { entries } = await at.logs()
  if (entries.has(feedId)) return { kind: 'noValue', feedId }
  return { kind: 'unknownFeed', feedId, nearest: nearestIds(feedId, [...entries.keys()].filter(feedHref)) }
}

/** It has a code of each facet. */
const MAX_SERIES_TITLE = 200

/** Number of values that a page of a series has without JavaScript. */
const MAX_VALUES = 24

/** Reads the newest values of a series; without them, the page itself says why. */
async function readSeriesFacts(
  { series: reader, ...place }: PagePlace,
  query: URLSearchParams,
  maxWaitMs: number,
): Promise<PageFacts> {
  const series = seriesOf(query)
  if (series === null) return { kind: 'page', page: SERIES_PAGE, readings: null }
  const title = clip(seriesTitle(findDataset(series.route)?.name ?? series.route, series), MAX_SERIES_TITLE)
  const asOf = Date.parse(query.get('as_of') ?? '')
  const range = { ...series, period_from: null, period_to: null, order: 'desc', limit: MAX_VALUES } as const
  const at = Number.isNaN(asOf) ? null : { asOf }
  const facts =
    reader === null
      ? null
      : await readInTime(place, maxWaitMs, (snapshot) =>
          reader.readRange(snapshot, { range, at }).then(
            (found): PageFacts => ({ kind: 'series', series, title, found }),
            (error) => unknownSeries(error, title),
          ),
        )
  return facts ?? { kind: 'series', series, title, found: null }
}

/** Returns the facts of a series that does not exist. @throws any other error */
function unknownSeries(error: unknown, title: string): PageFacts {
  const isUnknown =
    error instanceof QueryError || error instanceof DatasetNotFoundError || error instanceof SeriesAbsentError
  if (!isUnknown) throw error
  // The address is well-formed, and names a column or a facet that is not there.
  const code = error instanceof QueryError ? 'series_absent' : error.code
  return { kind: 'unknownSeries', title, code, reason: error.message }
}

/** Returns null if the read fails or takes longer. */
async function readInTime<T>(
  { client }: Place,
  timeoutMs: number,
  read: (at: Snapshot) => Promise<T>,
): Promise<T | null> {
  const limit = { timeoutMs, error: () => new Error(`no facts in ${timeoutMs} ms`) }
  try {
    return await limitTime(limit, () => client.withSnapshot(read))
  } catch {
    return null
  }
}
