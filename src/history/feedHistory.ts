import pLimit from 'p-limit'
import { readSequence } from '../async/readSequence.ts'
import { DecodeError } from '../bytes/cursor.ts'
import { assertCount, assertFeedId } from '../client/argument.ts'
import type { Client } from '../client/createClient.ts'
import type { ReadOptions } from '../client/reads.ts'
import type { Snapshot } from '../client/snapshot.ts'
import type { Attestation } from '../registry/attestation.ts'
import type { Feed } from '../registry/feed.ts'
import { scaleAmount } from '../registry/reading.ts'
import {
  assertHistoryQuery,
  type HistoryQuery,
  limitOf,
  neededValues,
  resolvePeriods,
} from './historyQuery.ts'
import { createKnownFeeds, type HistoryStatus, type KnownFeeds, type KnownValues } from './knownValues.ts'
import { formatPeriodStart, selectPage, type Vintage } from './revisions.ts'

/** One value of a feed's history. */
export interface HistoryItem {
  /** From 0, in the order of attestation. */
  readonly index: number
  readonly period: number
  /** The period's first day, or of an hourly one its time in UTC; null if the integer is none of the frequency. */
  readonly period_start: string | null
  /** The double nearest to `amount` / 10^`decimals`. */
  readonly value: number
  readonly amount: bigint
  /** 0 for a period's first print, one more for each other amount. */
  readonly revision: number
  readonly source_hash: string
  /** `account-hash-…` or `hash-…` */
  readonly attester: string
  /** Block time in epoch milliseconds. */
  readonly attested_at: number
}

/** One page of a feed's history. */
export interface HistoryPage extends Pick<Feed, 'decimals' | 'unit' | 'frequency'> {
  readonly feed_id: string
  /** How many values were ever attested. */
  readonly count: number
  readonly items: readonly HistoryItem[]
  /** The query of the next page; null after the last. */
  readonly next: HistoryQuery | null
}

/** A feed's history at one state root. */
export interface FeedHistory {
  readonly feedId: string
  readonly feed: Feed
  readonly count: number
  /** The same object as long as the feed's values are remembered, which are then those of one chain. */
  readonly values: object
  /** How many of its first values are known without a call. */
  known(): number
  /** @throws {HistoryTooLargeError} if so many values cannot be remembered, with so many of other feeds `beside` them. */
  assertFits(end: number, beside?: number): void
  /** Reads the first values, as far as they are not known. `reads` bounds the calls in flight. */
  readTo(end: number, options?: ReadToOptions): Promise<void>
  /** Returns a page, reading what it takes. */
  page(query: HistoryQuery, options?: ReadOptions): Promise<HistoryPage>
}

export interface ReadToOptions extends ReadOptions {
  /** Runs each call to a node; shared by reads that may not take more together. */
  limit?: <T>(work: () => Promise<T>) => Promise<T>
}

export interface OpenOptions extends ReadOptions {
  /** How many rows are wanted: the first values of an unknown feed may be read before it is known whether they are there. */
  expected?: number
}

/** Reads feeds' histories, and remembers them. */
export interface History {
  /**
   * Returns a page of a feed's history, at one state root; null if the feed is not registered.
   *
   * Calls `state_get_dictionary_item` once for each value that was not read before.
   *
   * @throws {InvalidArgumentError} naming a field of the query.
   * @throws {HistoryTooLargeError} if the feed has more values than `maxBytes` hold.
   *
   * @example
   * ```ts
   * const page = await history.page('EIA.PET.PRICE.WTI.DAILY', { as_of: Date.UTC(2026, 10, 20), limit: 1000 })
   * for (const { period_start, value } of page?.items ?? []) console.log(period_start, value)
   * ```
   */
  page(feedId: string, query?: HistoryQuery, options?: ReadOptions): Promise<HistoryPage | null>
  /**
   * Returns all rows from a page on, page after page; none if the feed is not registered.
   *
   * @example
   * ```ts
   * for await (const { period, value } of history.items('EIA.PET.PRICE.WTI.DAILY', { vintages: 'first' }))
   *   console.log(period, value)
   * ```
   */
  items(feedId: string, query?: HistoryQuery, options?: ReadOptions): AsyncIterable<HistoryItem>
  /** Returns a feed's history at a snapshot; null if the feed is not registered. */
  open(at: Snapshot, feedId: string, options?: OpenOptions): Promise<FeedHistory | null>
  /** Returns how much is remembered. */
  status(): HistoryStatus
}

export interface HistoryOptions {
  /**
   * Maximum number of calls in flight; the client has a limit of its own.
   * @default 128
   */
  concurrency?: number
  /**
   * Maximum size of what is remembered, estimated. The feed that was asked for longest ago is forgotten first.
   * @default 67108864
   */
  maxBytes?: number
}

/** Values are kept in steps of so many, so that a failure costs one step. */
const STEP = 1_000

/** A page of so many rows does not wait for the count before it begins. */
const READ_AHEAD_FROM = 500

/**
 * Creates a reader of feeds' histories: the attestations that a client reads, verified as its readings are.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { createHistory } from 'wattfeed/history'
 *
 * const history = createHistory(createClient())
 * const page = await history.page('EIA.PET.PRICE.WTI.DAILY', { vintages: 'first' })
 * ```
 */
export function createHistory(client: Pick<Client, 'snapshot'>, options: HistoryOptions = {}): History {
  const { concurrency = 128, maxBytes = 64 * 2 ** 20 } = options
  assertCount('concurrency', concurrency)
  assertCount('maxBytes', maxBytes)
  const feeds = createKnownFeeds(maxBytes)
  const atOnce = pLimit(concurrency)
  const reading = new WeakMap<KnownValues, Promise<unknown>>()

  /** One reader a feed: the next one finds what this one has read. */
  function readTo(at: Snapshot, feedId: string, known: KnownValues, end: number, options: ReadToOptions) {
    const before = reading.get(known) ?? Promise.resolve()
    const work = before.catch(() => {}).then(() => readSteps(at, feedId, known, end, options))
    reading.set(known, work)
    return work
  }

  async function readSteps(
    at: Snapshot,
    feedId: string,
    known: KnownValues,
    end: number,
    { limit = atOnce, signal }: ReadToOptions,
  ): Promise<void> {
    feeds.assertFits(feedId, end)
    while (known.vintages.length < end) {
      const from = known.vintages.length
      const to = Math.min(end, from + STEP)
      const values = await readSequence({ from, to, concurrency }, (index) => {
        if (signal?.aborted) throw signal.reason
        return limit(() => readCounted(at, feedId, index, { signal }))
      })
      known.append(values)
    }
  }

  async function open(at: Snapshot, feedId: string, options: OpenOptions = {}): Promise<FeedHistory | null> {
    const found = await look(at, feedId, feeds, concurrency, options)
    if (found === null) return null
    const { feed, count, known } = found
    const history: FeedHistory = {
      feedId,
      feed,
      count,
      values: known.vintages,
      known: () => Math.min(known.vintages.length, count),
      assertFits: (end, beside) => feeds.assertFits(feedId, end, beside),
      readTo: (end, options = {}) => readTo(at, feedId, known, Math.min(end, count), options),
      async page(query, options = {}) {
        const { decimals, unit, frequency } = feed
        const resolved = resolvePeriods(query, frequency)
        await history.readTo(neededValues(resolved, count), options)
        const { rows, next } = selectPage(known.vintages, count, resolved)
        const items = rows.map((row) => itemOf(row, feed))
        return { feed_id: feedId, decimals, unit, frequency, count, items, next }
      },
    }
    return history
  }

  async function page(
    feedId: string,
    query: HistoryQuery = {},
    options: ReadOptions = {},
  ): Promise<HistoryPage | null> {
    assertFeedId(feedId)
    assertHistoryQuery(query)
    const at = await client.snapshot(options)
    const found = await open(at, feedId, { ...options, expected: limitOf(query) })
    return found === null ? null : found.page(query, options)
  }

  return { page, items: (...request) => itemsOf(page, ...request), open, status: feeds.status }
}

async function* itemsOf(
  page: History['page'],
  feedId: string,
  query: HistoryQuery = {},
  options: ReadOptions = {},
): AsyncIterable<HistoryItem> {
  for (let next: HistoryQuery | null = query; next !== null; ) {
    const found: HistoryPage | null = await page(feedId, next, options)
    yield* found?.items ?? []
    next = found?.next ?? null
  }
}

/** Returns the feed's values, if they are of the snapshot's chain, and how many there are. */
async function look(
  at: Snapshot,
  feedId: string,
  feeds: KnownFeeds,
  concurrency: number,
  { expected = 0, signal }: OpenOptions,
) {
  const before = feeds.peek(feedId)
  const early = before === null ? at.getValueCount(feedId, { signal }) : null
  early?.catch(() => {})
  if (before === null && expected >= READ_AHEAD_FROM) readAhead(at, feedId, concurrency, signal)
  const reading = await at.getReading(feedId, { signal })
  const feed = reading ?? (await at.getFeed(feedId, { signal }))
  if (feed === null) return null
  const known = feeds.get(feedId)
  const { seen } = known
  // The client returns the same object until an event of the feed, and of no other chain.
  if (seen !== null && reading !== null && seen.reading === reading) return { feed, count: seen.count, known }
  const count = await (early ?? at.getValueCount(feedId, { signal }))
  const isSame = await isSameChain(at, feedId, known, count, { signal })
  if (!isSame && feeds.peek(feedId) === known) feeds.drop(feedId)
  const current = isSame ? known : feeds.get(feedId)
  current.seen = { reading, count }
  return { feed, count, known: current }
}

/** The snapshot shares these reads with those that follow. */
function readAhead(at: Snapshot, feedId: string, concurrency: number, signal: ReadOptions['signal']): void {
  // Beside the count and the reading.
  for (let index = 0; index < concurrency - 3; index++)
    at.getValueAt(feedId, index, { signal }).catch(() => {})
}

/** Whether the last value that is both known and counted is what the chain holds there. */
async function isSameChain(
  at: Snapshot,
  feedId: string,
  { vintages }: KnownValues,
  count: number,
  options: ReadOptions,
): Promise<boolean> {
  const known = vintages[Math.min(vintages.length, count) - 1]
  if (known === undefined) return vintages.length === 0
  const found = await readCounted(at, feedId, known.index, options)
  return (
    found.period === known.period &&
    found.amount === known.amount &&
    found.source_hash === known.source_hash &&
    found.attester === known.attester &&
    found.timestamp === known.timestamp
  )
}

/** Reads a value below the feed's count. @throws {DecodeError} if it is not there. */
export async function readCounted(
  at: Snapshot,
  feedId: string,
  index: number,
  options: ReadOptions = {},
): Promise<Attestation> {
  const value = await at.getValueAt(feedId, index, options)
  if (value === null)
    throw new DecodeError(`AttestationRegistry.history[${feedId}#${index}]`, 'it is counted but not there')
  return value
}

/** Returns an attestation as a row of its feed's history. */
export function itemOf(
  row: Vintage,
  { decimals, frequency }: Pick<Feed, 'decimals' | 'frequency'>,
): HistoryItem {
  const { index, period, amount, revision, source_hash, attester, timestamp } = row
  return {
    index,
    period,
    period_start: formatPeriodStart(frequency, period),
    value: scaleAmount(amount, decimals),
    amount,
    revision,
    source_hash,
    attester,
    attested_at: timestamp,
  }
}
