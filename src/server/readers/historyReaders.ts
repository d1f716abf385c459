import type { Client, Snapshot } from 'wattfeed'
import { createHistory, type FeedHistory, type HistoryPage, type HistoryQuery } from 'wattfeed/history'
import { certainRows, limitOf, neededValues, resolvePeriods } from 'wattfeed/internal'
import type { Log } from '../../runtime/log.ts'
import { defineHttpError } from '../http/httpError.ts'
import { type Metrics, registerGauge } from '../metrics.ts'
import { feedNotFound } from '../notFound.ts'
import { createAnswerCache } from './answerCache.ts'
import { formatHistory, type HistoryAnswer, type HistoryAsked, type HistoryPages } from './historyAnswers.ts'
import { createHistoryWalks } from './historyWalks.ts'
import { createNewestPeriods, type NewestPeriodsReader } from './newestPeriods.ts'

/** Returns the answer to a request, from the cache or read at the snapshot. */
export type HistoryReader = (at: Snapshot, asked: HistoryAsked) => Promise<HistoryAnswer>

/** The `pin` of a request does not match the values on chain, or their current form. */
const HistoryPinError = defineHttpError(
  'HistoryPinError',
  'history_pin',
  (facts: { feedId: string; rule: string }) =>
    `pin does not match the history of ${facts.feedId}: ${facts.rule}; the feed's decimals, route or frequency changed, the server was updated, or the chain was replaced, so request it without pin`,
  { status: 409 },
)

/** A request reads at most this many values itself. More are read in the background. */
const MAX_DIRECT_VALUES = 1_000

/** Share of the memory that is used for formatted answers; the rest is for values. */
const ANSWERS_SHARE = 1 / 8

const MB = 2 ** 20

export interface HistoryReaders {
  readonly readHistory: HistoryReader
  readonly readNewestPeriods: NewestPeriodsReader
}

interface HistorySources {
  client: Client
  /** Null if nobody reads them. */
  metrics: Pick<Metrics, 'registry'> | null
  log: Pick<Log, 'warn'>
}

/** Creates the readers of histories for all endpoints, with one memory limit and one limit of concurrent calls. */
export function createHistoryReaders(
  { client, metrics, log }: HistorySources,
  { cacheMb, concurrency }: { cacheMb: number; concurrency: number },
): HistoryReaders {
  const maxBytes = cacheMb * MB
  const history = createHistory(client, { concurrency, maxBytes: maxBytes * (1 - ANSWERS_SHARE) })
  const walks = createHistoryWalks({ client, history, concurrency, log })
  const answers = createAnswerCache(maxBytes * ANSWERS_SHARE)
  if (metrics !== null)
    registerHistoryGauges(metrics, () => {
      const { bytes, ...known } = history.status()
      return { ...known, ...walks.status(), bytes: bytes + answers.bytes() }
    })

  async function open(at: Snapshot, feedId: string, expected: number): Promise<FeedHistory> {
    const feed = await history.open(at, feedId, { expected })
    if (feed === null) throw await feedNotFound(at, feedId)
    return feed
  }

  /**
   * Leaves the reading of many values to the background.
   *
   * @throws {HistoryTooLargeError} when the values do not fit into the memory.
   * @throws {HistoryFillingError | HistoryBusyError} when the request needs more values than it may read itself.
   */
  function leaveLongReads(feeds: readonly FeedHistory[], query: HistoryQuery): void {
    let total = 0
    let missing = 0
    const wanted = wantedValues(feeds, query)
    for (const { feed, needed } of wanted) {
      feed.assertFits(needed, total)
      total += needed
      missing += Math.max(0, needed - feed.known())
    }
    if (missing <= MAX_DIRECT_VALUES) return
    const [first, ...others] = wanted
      .map(({ feed, needed }) => ({ feedId: feed.feedId, known: feed.known(), needed }))
      .filter(({ known, needed }) => needed > known)
    if (first !== undefined) walks.fill(first, ...others)
  }

  const readHistory: HistoryReader = async (at, asked) => {
    const { feedIds, query, pin } = asked
    // For several feeds, reading ahead before their counts are known would take too many calls.
    const expected = feedIds.length === 1 ? limitOf(query) : 0
    const feeds = await Promise.all(feedIds.map((feedId) => open(at, feedId, expected)))
    for (const { feedId, count } of feeds)
      if (pin !== null && (query.to ?? 0) > count)
        throw new HistoryPinError({ feedId, rule: `it has ${count} values, but to is ${query.to}` })
    // Before a long read, and for feeds that only a later page has.
    for (const { feed } of feeds) resolvePeriods(query, feed)
    leaveLongReads(feeds, query)
    const answer = await answers.getOrCreate(feeds, asked, {
      read: () => readPages(feeds, query),
      create: (found) => formatHistory(found, asked),
    })
    if (pin !== null && answer.digest !== pin)
      throw new HistoryPinError({
        feedId: feedIds.join(),
        rule: `the values have the digest ${answer.digest}`,
      })
    return answer
  }

  const readNewestPeriods = createNewestPeriods({
    open: (at, feedId) => open(at, feedId, 0),
    fill: walks.fill,
    maxDirectValues: MAX_DIRECT_VALUES,
  })
  return { readHistory, readNewestPeriods }
}

/** Returns the query for the feeds after the first one. `after` and `to` apply to the first feed only. */
const queryOfOthers = ({ after: _, to: __, ...rest }: HistoryQuery): HistoryQuery => rest

/** Returns the feeds on the page, with how many of their first values it needs. */
function wantedValues(feeds: readonly FeedHistory[], query: HistoryQuery) {
  const wanted: { feed: FeedHistory; needed: number }[] = []
  let left = limitOf(query)
  for (const [index, feed] of feeds.entries()) {
    if (left === 0) break
    const own = index === 0 ? query : { ...queryOfOthers(query), limit: left }
    wanted.push({ feed, needed: neededValues(own, feed.count) })
    left -= certainRows(own, feed.count)
  }
  return wanted
}

/** Reads the rows feed by feed, up to the common limit. */
async function readPages(feeds: readonly FeedHistory[], query: HistoryQuery): Promise<HistoryPages> {
  const feedIds = feeds.map(({ feedId }) => feedId)
  const pages: HistoryPage[] = []
  let left = limitOf(query)
  for (const [index, feed] of feeds.entries()) {
    const page = await feed.page(index === 0 ? query : { ...queryOfOthers(query), limit: left })
    pages.push(page)
    left -= page.items.length
    if (page.next !== null)
      return { pages, next: { feedIds: feedIds.slice(index), query: nextQuery(query, page.next) } }
    const others = feedIds.slice(index + 1)
    if (left === 0 && others.length > 0)
      return { pages, next: { feedIds: others, query: queryOfOthers(query) } }
  }
  return { pages, next: null }
}

/** Returns the query that continues within a feed, with the limit and the periods of the page. */
const nextQuery = (query: HistoryQuery, { to, after }: HistoryQuery): HistoryQuery => ({
  ...query,
  ...(to === undefined ? {} : { to }),
  ...(after === undefined ? {} : { after }),
})

const historyGauges = {
  wattfeed_history_feeds: ['Feeds whose history is cached.', 'feeds'],
  wattfeed_history_values: ['Cached history values.', 'values'],
  wattfeed_history_bytes: ['Estimated size of the history cache, in bytes.', 'bytes'],
  wattfeed_history_walks: ['Feeds whose history is being read in the background.', 'running'],
  wattfeed_history_waiting: ['Feeds queued for a background read of their history.', 'waiting'],
} as const

export function registerHistoryGauges(
  { registry }: Pick<Metrics, 'registry'>,
  status: () => Record<(typeof historyGauges)[keyof typeof historyGauges][1], number>,
): void {
  for (const [name, [help, field]] of Object.entries(historyGauges))
    registerGauge(registry, { name, help, read: () => status()[field] })
}
