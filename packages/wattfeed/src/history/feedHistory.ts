import { assertOptions, DecodeError, readSequence } from '@wattfeed/base'
import { endsOf } from '@wattfeed/eia'
import pLimit from 'p-limit'
import {
  assertCount,
  assertFeedId,
  assertMoment,
  assertReadOptions,
  readOptionNames,
} from '../client/argument.ts'
import type { Client } from '../client/createClient.ts'
import type { ReadOptions } from '../client/reads.ts'
import type { Snapshot } from '../client/snapshot.ts'
import type { Attestation } from '../registry/attestation.ts'
import type { Feed } from '../registry/feed.ts'
import { isSameAttestedValue, scaleAmount } from '../registry/reading.ts'
import {
  assertAfter,
  assertHistoryQuery,
  type HistoryQuery,
  historyQueryNames,
  limitOf,
  neededValues,
  resolvePeriods,
} from './historyQuery.ts'
import { createKnownFeeds, type HistoryStatus, type KnownFeeds, type KnownValues } from './knownValues.ts'
import type { Vintage } from './revisions.ts'
import { selectPage } from './selectPage.ts'

/** One value of a feed's history. */
export interface HistoryItem {
  /** Index in the order of attestation, from 0. */
  readonly index: number
  /** The period as an integer, such as 20261120 for a day. */
  readonly period: number
  /** First day that the period covers; for an hour its start in UTC. Null if the integer is not a period of the frequency. */
  readonly period_start: string | null
  /** Last day that the period covers, inclusive; for an hour its end in UTC, exclusive. Null with `period_start`. */
  readonly period_end: string | null
  /** The double nearest to `amount` / 10^`decimals`. */
  readonly value: number
  /** The unscaled value. */
  readonly amount: bigint
  /** 0 for the first print of a period; 1 more for each different amount after it, or each different root of a dataset. */
  readonly revision: number
  /** First 32 hex digits of the SHA-256 over the canonical JSON of the source. */
  readonly source_hash: string
  /** The attester: `account-hash-…` or `hash-…`. */
  readonly attester: string
  /** Block time in epoch milliseconds. */
  readonly attested_at: number
}

/** One page of a feed's history. */
export interface HistoryPage extends Pick<Feed, 'decimals' | 'unit' | 'frequency'> {
  /** Id of the feed. */
  readonly feed_id: string
  /** Number of values ever attested to the feed. */
  readonly count: number
  /** The rows of this page; fewer than `limit` on the last. */
  readonly items: readonly HistoryItem[]
  /** Query of the next page; null after the last. */
  readonly next: HistoryQuery | null
}

/** A feed's history at one state root. */
export interface FeedHistory {
  /** Id of the feed. */
  readonly feedId: string
  /** Metadata of the feed. */
  readonly feed: Feed
  /** Number of values at the state root. */
  readonly count: number
  /** Identity of the cached values: the same object until they are dropped, or the chain is replaced. */
  readonly values: object
  /** Returns the number of cached values, which are the first ones. */
  known(): number
  /**
   * Checks that the cache has room.
   *
   * @param end - number of values of this feed
   * @param beside - number of values of other feeds
   * @throws {@link HistoryTooLargeError} when they do not fit into `maxBytes`.
   */
  assertFits(end: number, beside?: number): void
  /**
   * Reads the first values into the cache.
   *
   * @param end - index after the last value to read
   * @throws {@link HistoryTooLargeError} when they do not fit into `maxBytes`.
   * @rpc state_get_dictionary_item
   */
  readTo(end: number, options?: ReadToOptions): Promise<void>
  /**
   * Returns a page, reading the values that are not cached.
   *
   * @throws {@link InvalidArgumentError} when the query names a date and the feed's frequency is unknown, or an integer of another scale.
   * @throws {@link HistoryTooLargeError} when the values do not fit into `maxBytes`.
   * @rpc state_get_dictionary_item
   */
  page(query: HistoryQuery, options?: ReadOptions): Promise<HistoryPage>
}

/** Options of {@link FeedHistory.readTo}. */
export interface ReadToOptions extends ReadOptions {
  /**
   * Runs each call to a node. Share one between reads to limit their calls in flight together.
   * @default a limit of `concurrency`
   */
  limit?: <T>(work: () => Promise<T>) => Promise<T>
}

/** Options of {@link History.open}. */
export interface OpenOptions extends ReadOptions {
  /**
   * Number of rows that will be read. From 500, the first values are requested before the count is known.
   * @default 0
   */
  expected?: number
}

/** Reads and caches the histories of feeds. */
export interface History {
  /**
   * Returns a page of a feed's history, at one state root. Makes one call for each value that is not cached.
   *
   * @example
   * ```ts
   * const page = await history.page('EIA.PET.PRICE.WTI.DAILY', { as_of: Date.UTC(2026, 10, 20), limit: 1000 })
   * for (const { period_start, value } of page?.items ?? []) console.log(period_start, value)
   * ```
   *
   * @param query - the first 100 values by default
   * @returns Null if the id is not registered.
   * @throws {@link InvalidArgumentError} when a field of the query is invalid; `argument` names it.
   * @throws {@link HistoryTooLargeError} when the values do not fit into `maxBytes`.
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  page(feedId: string, query?: HistoryQuery, options?: ReadOptions): Promise<HistoryPage | null>
  /**
   * Returns the rows of all pages, starting with the page of the query. Reads each page on demand, at its own state root.
   *
   * @example
   * ```ts
   * for await (const { period, value } of history.items('EIA.PET.PRICE.WTI.DAILY', { vintages: 'first' }))
   *   console.log(period, value)
   * ```
   *
   * @returns No rows if the id is not registered.
   * @throws {@link InvalidArgumentError} when a field of the query is invalid; `argument` names it.
   * @throws {@link HistoryTooLargeError} when the values do not fit into `maxBytes`.
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  items(feedId: string, query?: HistoryQuery, options?: ReadOptions): AsyncIterable<HistoryItem>
  /**
   * Returns a feed's history at a snapshot, for several pages at one state root.
   *
   * @example
   * ```ts
   * const feedHistory = await history.open(await client.snapshot(), 'EIA.PET.PRICE.WTI.DAILY')
   * const newest = await feedHistory?.page({ order: 'desc', limit: 1 })
   * ```
   *
   * @returns Null if the id is not registered.
   * @rpc query_global_state, state_get_dictionary_item
   */
  open(at: Snapshot, feedId: string, options?: OpenOptions): Promise<FeedHistory | null>
  /**
   * Returns the size of the cache.
   *
   * @example
   * ```ts
   * console.log(history.status().bytes)
   * ```
   */
  status(): HistoryStatus
}

/** Options of {@link createHistory}. */
export interface HistoryOptions {
  /**
   * Maximum number of calls in flight. The client's own limit applies too.
   * @default 128
   */
  concurrency?: number
  /**
   * Maximum size of the cache in bytes, estimated. The least recently used feed is dropped first.
   * @default 67108864
   */
  maxBytes?: number
}

/** Number of values read at a time, so that a failure loses only these. */
const STEP = 1_000

/** A page of this many rows starts to read before the count is known. */
const READ_AHEAD_FROM = 500

/** The cached values of a feed, and the snapshot to read more of them at. */
interface FeedValues {
  at: Snapshot
  feedId: string
  known: KnownValues
}

/**
 * Creates a reader of the histories of feeds, with a cache. Attestations are verified like the client's readings.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { createHistory } from 'wattfeed/history'
 *
 * const history = createHistory(createClient())
 * const page = await history.page('EIA.PET.PRICE.WTI.DAILY', { vintages: 'first' })
 * ```
 *
 * @throws {@link InvalidArgumentError} when an option is invalid; `argument` names it.
 */
export function createHistory(client: Pick<Client, 'snapshot'>, options: HistoryOptions = {}): History {
  assertOptions(options, { concurrency: 1, maxBytes: 1 })
  const { concurrency = 128, maxBytes = 64 * 2 ** 20 } = options
  assertCount('concurrency', concurrency)
  assertCount('maxBytes', maxBytes)
  const feeds = createKnownFeeds(maxBytes)
  const atOnce = pLimit(concurrency)
  const reading = new WeakMap<KnownValues, Promise<unknown>>()

  /** Reads of one feed run one after another, so that each finds the values of those before it in the cache. */
  function readTo(values: FeedValues, end: number, options: ReadToOptions): Promise<void> {
    const before = reading.get(values.known) ?? Promise.resolve()
    const work = before.catch(() => {}).then(() => readSteps(values, end, options))
    reading.set(values.known, work)
    return work
  }

  async function readSteps(
    { at, feedId, known }: FeedValues,
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
    assertOptions(options, { ...readOptionNames, expected: 1 })
    const found = await findValues(at, feedId, { feeds, concurrency, ...options })
    if (found === null) return null
    const { feed, known } = found
    let { count } = found

    /** Reads values. If the nodes have corrected the count meanwhile, because one of the values was not there, it reads the others. */
    async function readCountedTo(end: number, options: ReadToOptions = {}): Promise<void> {
      assertOptions(options, { ...readOptionNames, limit: 1 })
      try {
        await readTo({ at, feedId, known }, Math.min(end, count), options)
      } catch (error) {
        const corrected = error instanceof DecodeError ? await at.getValueCount(feedId) : count
        if (corrected >= count) throw error
        count = corrected
        known.seen = null
        await readCountedTo(end, options)
      }
    }

    const history: FeedHistory = {
      feedId,
      feed,
      get count() {
        return count
      },
      values: known.vintages,
      known: () => Math.min(known.vintages.length, count),
      assertFits: (end, beside) => feeds.assertFits(feedId, end, beside),
      readTo: readCountedTo,
      async page(query, options = {}) {
        assertOptions(query, historyQueryNames, 'query')
        assertReadOptions(options)
        const { decimals, unit, frequency } = feed
        const resolved = resolvePeriods(query, feed)
        await history.readTo(neededValues(resolved, count), options)
        assertAfter(resolved, feed, known.vintages)
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
    if (query.as_of !== undefined) assertMoment('as_of', query.as_of)
    assertReadOptions(options)
    const at = await client.snapshot(options)
    const found = await open(at, feedId, { ...options, expected: limitOf(query) })
    return found === null ? null : found.page(query, options)
  }

  return { page, items: (...request) => itemsOfPages(page, ...request), open, status: feeds.status }
}

async function* itemsOfPages(
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

/** Returns the feed's cached values, if they are of the snapshot's chain, and their number on chain. */
async function findValues(
  at: Snapshot,
  feedId: string,
  { feeds, concurrency, expected = 0, signal }: OpenOptions & { feeds: KnownFeeds; concurrency: number },
) {
  const before = feeds.peek(feedId)
  const early = before === null ? at.getValueCount(feedId, { signal }) : null
  early?.catch(() => {})
  if (before === null && expected >= READ_AHEAD_FROM) readAhead(at, feedId, concurrency, signal)
  const reading = await at.getReading(feedId, { signal })
  const feed = reading ?? (await at.getFeed(feedId, { signal }))
  if (feed === null) return null
  const known = feeds.getOrCreate(feedId)
  const { seen } = known
  // The client returns the same object until the feed changes or the chain is replaced.
  if (seen !== null && reading !== null && seen.reading === reading) return { feed, count: seen.count, known }
  const count = await (early ?? at.getValueCount(feedId, { signal }))
  const isSame = await isSameChain(at, feedId, known, count, { signal })
  if (!isSame && feeds.peek(feedId) === known) feeds.drop(feedId)
  const current = isSame ? known : feeds.getOrCreate(feedId)
  current.seen = { reading, count }
  return { feed, count, known: current }
}

/** Starts reads early: the snapshot shares them with later reads of the same values. */
function readAhead(at: Snapshot, feedId: string, concurrency: number, signal: ReadOptions['signal']): void {
  // The count and the reading, which is two calls, are in flight too.
  for (let index = 0; index < concurrency - 3; index++)
    at.getValueAt(feedId, index, { signal }).catch(() => {})
}

/** Returns whether the last cached value is the same on the snapshot's chain. */
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
  return isSameAttestedValue(found, known) && found.attester === known.attester
}

/**
 * Reads a value below the feed's count.
 *
 * @throws {@link DecodeError} when it is absent.
 */
export async function readCounted(
  at: Pick<Snapshot, 'getValueAt'>,
  feedId: string,
  index: number,
  options: ReadOptions = {},
): Promise<Attestation> {
  const value = await at.getValueAt(feedId, index, options)
  if (value === null)
    throw new DecodeError(
      `AttestationRegistry.history[${feedId}#${index}]`,
      'no node returned a value, although one had counted it; retry',
    )
  return value
}

/** Returns an attestation as a row of its feed's history. */
export function itemOf(
  row: Vintage,
  { decimals, route, frequency }: Pick<Feed, 'decimals' | 'route' | 'frequency'>,
): HistoryItem {
  const { index, period, amount, revision, source_hash, attester, timestamp } = row
  return {
    index,
    period,
    ...endsOf({ route, frequency }, period),
    value: scaleAmount(amount, decimals),
    amount,
    revision,
    source_hash,
    attester,
    attested_at: timestamp,
  }
}
