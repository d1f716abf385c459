import { Gauge } from 'prom-client'
import type { Client, Snapshot } from '../client/index.ts'
import { WattfeedError } from '../errors.ts'
import { createHistory, type FeedHistory, type HistoryPage } from '../history/feedHistory.ts'
import { certainRows, type HistoryQuery, limitOf, neededValues } from '../history/historyQuery.ts'
import type { Log } from '../runtime/log.ts'
import { versionAt } from './headers.ts'
import { createHistoryAnswers, type HistoryAnswer, type HistoryAsked } from './historyAnswers.ts'
import { createHistoryWalks } from './historyWalks.ts'
import type { Metrics } from './metrics.ts'
import { FeedNotFoundError } from './notFound.ts'

export interface HistoryReaderOptions {
  client: Pick<Client, 'snapshot'>
  metrics: Pick<Metrics, 'registry'>
  log: Pick<Log, 'warn'>
  /** Size of what is remembered, in MB. */
  cacheMb: number
  /** Maximum number of calls to nodes in flight. */
  concurrency: number
}

/** The pages of one answer: one of each feed, as far as its rows go. */
export interface HistoryPages {
  readonly pages: readonly HistoryPage[]
  readonly next: HistoryAnswer['next']
}

/** Returns the answer to what was asked, from what is remembered or read at the snapshot. */
export type HistoryReader = (at: Snapshot, asked: HistoryAsked) => Promise<HistoryAnswer>

/** An address pins values of a feed that the chain does not hold, or shows otherwise now. */
export class HistoryPinError extends WattfeedError {
  static override readonly name = 'HistoryPinError'
  readonly code = 'history_pin'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    rule: string,
  ) {
    super(
      `this address pins other values of ${feedId}: ${rule}; its decimals have changed, or the chain is another one; leave out pin`,
    )
  }
}

/** A request reads so many values itself; more are read in the background. */
const MAX_DIRECT_VALUES = 1_000

/** What part of the memory holds answers, and not values. */
const ANSWERS_SHARE = 1 / 8

const MB = 2 ** 20

/** Creates what reads histories for all endpoints, within one limit of memory and of calls. */
export function createHistoryReader(
  { client, metrics, log, cacheMb, concurrency }: HistoryReaderOptions,
  createAnswer: (found: HistoryPages, asked: HistoryAsked) => Promise<HistoryAnswer>,
): HistoryReader {
  const maxBytes = cacheMb * MB
  const history = createHistory(client, { concurrency, maxBytes: maxBytes * (1 - ANSWERS_SHARE) })
  const walks = createHistoryWalks({ client, history, concurrency, log })
  const answers = createHistoryAnswers(maxBytes * ANSWERS_SHARE)
  registerHistoryGauges(metrics, () => {
    const { bytes, ...known } = history.status()
    return { ...known, ...walks.status(), bytes: bytes + answers.bytes() }
  })

  async function open(at: Snapshot, feedId: string, expected: number): Promise<FeedHistory> {
    const feed = await history.open(at, feedId, { expected })
    if (feed === null) throw new FeedNotFoundError(feedId, at.stateRootHash, await versionAt(at))
    return feed
  }

  /** @throws {HistoryTooLargeError | HistoryFillingError | HistoryBusyError} if a request may not read so much itself. */
  function assertReadable(feeds: readonly FeedHistory[], query: HistoryQuery): void {
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

  return async (at, asked) => {
    const { feedIds, query, pin } = asked
    // Reading ahead, before the counts are known, would take too many calls for several feeds.
    const expected = feedIds.length === 1 ? limitOf(query) : 0
    const feeds = await Promise.all(feedIds.map((feedId) => open(at, feedId, expected)))
    for (const { feedId, count } of feeds)
      if (pin !== null && (query.to ?? 0) > count)
        throw new HistoryPinError(feedId, `it has ${count} values, and the address names ${query.to}`)
    assertReadable(feeds, query)
    const answer = await answers.of(
      feeds,
      asked,
      () => readPages(feeds, query),
      (found) => createAnswer(found, asked),
    )
    if (pin !== null && answer.digest !== pin)
      throw new HistoryPinError(feedIds.join(), `its values there have the digest ${answer.digest}`)
    return answer
  }
}

/** The query of the feeds after the first one: `after` and `to` are about that alone. */
const restOf = ({ after: _, to: __, ...rest }: HistoryQuery): HistoryQuery => rest

/** Returns the feeds that the page takes, with how many of their first values. */
function wantedValues(feeds: readonly FeedHistory[], query: HistoryQuery) {
  const wanted: { feed: FeedHistory; needed: number }[] = []
  let left = limitOf(query)
  for (const [index, feed] of feeds.entries()) {
    if (left === 0) break
    const own = index === 0 ? query : { ...restOf(query), limit: left }
    wanted.push({ feed, needed: neededValues(own, feed.count) })
    left -= certainRows(own, feed.count)
  }
  return wanted
}

/** Reads the rows of one feed after the other, up to the limit of all. */
async function readPages(feeds: readonly FeedHistory[], query: HistoryQuery): Promise<HistoryPages> {
  const feedIds = feeds.map(({ feedId }) => feedId)
  const pages: HistoryPage[] = []
  let left = limitOf(query)
  for (const [index, feed] of feeds.entries()) {
    const page = await feed.page(index === 0 ? query : { ...restOf(query), limit: left })
    pages.push(page)
    left -= page.items.length
    if (page.next !== null)
      return { pages, next: { feedIds: feedIds.slice(index), query: nextQuery(query, page.next) } }
    const others = feedIds.slice(index + 1)
    if (left === 0 && others.length > 0) return { pages, next: { feedIds: others, query: restOf(query) } }
  }
  return { pages, next: null }
}

/** Continues within a feed, with the limit and the periods of the whole page. */
const nextQuery = (query: HistoryQuery, { to, after }: HistoryQuery): HistoryQuery => ({
  ...query,
  ...(to === undefined ? {} : { to }),
  ...(after === undefined ? {} : { after }),
})

/** What is remembered of the feeds' past, and what is being read. */
interface HistoryCacheStatus {
  feeds: number
  values: number
  bytes: number
  running: number
  waiting: number
}

const historyGauges = {
  wattfeed_history_feeds: ['Feeds whose past is remembered.', 'feeds'],
  wattfeed_history_values: ['Values of the past that are remembered.', 'values'],
  wattfeed_history_bytes: ['Estimated size of what is remembered of the past.', 'bytes'],
  wattfeed_history_walks: ['Feeds whose past is being read in the background.', 'running'],
  wattfeed_history_waiting: ['Feeds whose past waits to be read.', 'waiting'],
} as const

/** Registers gauges of a status that is read at every scrape. */
export function registerHistoryGauges(
  { registry }: Pick<Metrics, 'registry'>,
  status: () => HistoryCacheStatus,
): void {
  for (const [name, [help, field]] of Object.entries(historyGauges))
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(status()[field])
      },
    })
}
