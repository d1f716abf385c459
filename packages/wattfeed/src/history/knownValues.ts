import { WattfeedError } from '@wattfeed/base'
import type { Attestation } from '../registry/attestation.ts'
import type { Reading } from '../registry/reading.ts'
import { createRevisionCounter, type Vintage } from './revisions.ts'

/**
 * The history of a feed does not fit into the cache.
 *
 * @example
 * ```ts
 * import { HistoryTooLargeError } from 'wattfeed/history'
 *
 * const page = await history.page('EIA.PET.PRICE.WTI.DAILY', { vintages: 'latest' }).catch((error) => {
 *   if (!(error instanceof HistoryTooLargeError)) throw error
 *   console.error(`raise maxBytes above ${error.maxBytes}`)
 * })
 * ```
 */
export class HistoryTooLargeError extends WattfeedError {
  static override readonly name = 'HistoryTooLargeError'
  readonly code = 'history_too_large'
  readonly retryable = false

  constructor(
    /** Id of the feed. */
    readonly feedId: string,
    /** Maximum size of the cache in bytes. */
    readonly maxBytes: number,
    /** Whether it would fit without the other feeds of the request. */
    readonly isBesideOthers = false,
  ) {
    const others = isBesideOthers ? ' and of the feeds before it' : ''
    const advice = isBesideOthers ? 'request fewer feeds at once, or ' : ''
    super(
      `the history of ${feedId}${others} does not fit into ${Math.floor(maxBytes / 2 ** 20)} MB; ${advice}raise HISTORY_CACHE_MB, or maxBytes in the library`,
    )
  }
}

/** The first values of a feed on one chain. Append-only. */
export interface KnownValues {
  readonly vintages: readonly Vintage[]
  /** The reading and the count when the values were last compared with the chain; null if never. */
  seen: { reading: Reading | null; count: number } | null
  /** @throws {@link HistoryTooLargeError} when they do not fit. */
  append(values: readonly Attestation[]): void
}

/** Size of the cache, for metrics. */
export interface HistoryStatus {
  /** Number of feeds in the cache. */
  readonly feeds: number
  /** Number of values of all feeds in the cache. */
  readonly values: number
  /** Size in bytes, estimated. */
  readonly bytes: number
}

/** The values of the most recently used feeds. */
export interface KnownFeeds {
  peek(feedId: string): KnownValues | null
  /**
   * Returns the values of a feed, which becomes the most recently used one. Creates them empty if necessary, and then drops other
   * feeds if the cache is full.
   *
   * @throws {@link HistoryTooLargeError} when not even an empty history fits.
   */
  getOrCreate(feedId: string): KnownValues
  drop(feedId: string): void
  /** @throws {@link HistoryTooLargeError} when this many values do not fit, alone or beside others. */
  assertFits(feedId: string, count: number, beside?: number): void
  status(): HistoryStatus
}

interface Entry extends KnownValues {
  bytes: number
}

// Measured with Bun, including amount and period. Values share the attester's text.
const VALUE_BYTES = 220

/** Length of a usual source hash; attesters may write any text. */
const HASH_LENGTH = 32

// Metadata of the feed and its entry in the map.
const FEED_BYTES = 2_000

const sizeOf = (count: number): number => FEED_BYTES + count * (VALUE_BYTES + HASH_LENGTH)

/** Creates a cache of values that drops the least recently used feed when it is full. */
export function createKnownFeeds(maxBytes: number): KnownFeeds {
  const feeds = new Map<string, Entry>()
  let bytes = 0

  function drop(feedId: string): void {
    bytes -= feeds.get(feedId)?.bytes ?? 0
    feeds.delete(feedId)
  }

  /** Marks a feed as the most recently used, and makes room for it. */
  function remember(feedId: string, known: Entry): void {
    drop(feedId)
    feeds.set(feedId, known)
    bytes += known.bytes
    for (const other of feeds.keys()) {
      if (bytes <= maxBytes) return
      drop(other)
      if (other === feedId) throw new HistoryTooLargeError(feedId, maxBytes)
    }
  }

  function create(feedId: string) {
    const vintages: Vintage[] = []
    const revisionOf = createRevisionCounter(feedId)
    const attesters = new Map<string, string>()
    const known: Entry = {
      vintages,
      seen: null,
      bytes: FEED_BYTES,
      append(values) {
        drop(feedId)
        for (const value of values) {
          const { period, amount, source_hash, timestamp } = value
          const attester = attesters.get(value.attester) ?? value.attester
          attesters.set(attester, attester)
          const index = vintages.length
          const revision = revisionOf(value)
          vintages.push({ index, period, amount, source_hash, attester, timestamp, revision })
          known.bytes += VALUE_BYTES + source_hash.length
        }
        remember(feedId, known)
      },
    }
    return known
  }

  return {
    peek: (feedId) => feeds.get(feedId) ?? null,
    getOrCreate(feedId) {
      const known = feeds.get(feedId) ?? create(feedId)
      remember(feedId, known)
      return known
    },
    drop,
    assertFits(feedId, count, beside = 0) {
      if (sizeOf(count + beside) <= maxBytes) return
      throw new HistoryTooLargeError(feedId, maxBytes, sizeOf(count) <= maxBytes)
    },
    status: () => ({
      feeds: feeds.size,
      values: [...feeds.values()].reduce((sum, { vintages }) => sum + vintages.length, 0),
      bytes,
    }),
  }
}
