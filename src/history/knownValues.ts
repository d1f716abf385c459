import { WattfeedError } from '../errors.ts'
import type { Attestation } from '../registry/attestation.ts'
import type { Reading } from '../registry/reading.ts'
import { createRevisionCounter, type Vintage } from './revisions.ts'

/** A feed has more values than may be remembered. */
export class HistoryTooLargeError extends WattfeedError {
  static override readonly name = 'HistoryTooLargeError'
  readonly code = 'history_too_large'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    readonly maxBytes: number,
    /** Whether it would fit without the feeds that were asked for before it. */
    readonly isBesideOthers = false,
  ) {
    super(
      `the history of ${feedId}${isBesideOthers ? ' and of the feeds before it' : ''} does not fit into ${Math.floor(maxBytes / 2 ** 20)} MB: ${isBesideOthers ? 'ask for fewer feeds at once, or ' : ''}raise HISTORY_CACHE_MB, or maxBytes in the library`,
    )
  }
}

/** The first values of one feed, on one chain. Append-only. */
export interface KnownValues {
  readonly vintages: readonly Vintage[]
  /** With which reading it was last seen that they are of the chain, and what was counted there. */
  seen: { reading: Reading | null; count: number } | null
  /** @throws {HistoryTooLargeError} */
  append(values: readonly Attestation[]): void
}

/** What is remembered, for metrics. */
export interface HistoryStatus {
  readonly feeds: number
  readonly values: number
  /** Estimated. */
  readonly bytes: number
}

/** The values of the feeds that were asked for last. */
export interface KnownFeeds {
  /** Returns a feed's values; null if none are remembered. */
  peek(feedId: string): KnownValues | null
  /** Returns a feed's values, and begins to remember them. */
  get(feedId: string): KnownValues
  /** Forgets a feed. */
  drop(feedId: string): void
  /** @throws {HistoryTooLargeError} if so many values with the usual hashes do not fit, or not beside others. */
  assertFits(feedId: string, count: number, beside?: number): void
  status(): HistoryStatus
}

// Measured with Bun, amount and period included; the attester's text is shared.
const VALUE_BYTES = 220

/** Of the hashes that attesters should write; they may write any text. */
const HASH_LENGTH = 32

// The feed's metadata and its place in the map.
const FEED_BYTES = 2_000

const sizeOf = (count: number): number => FEED_BYTES + count * (VALUE_BYTES + HASH_LENGTH)

/** Remembers the values of feeds up to a limit; then forgets first what was not asked for the longest. */
export function createKnownFeeds(maxBytes: number): KnownFeeds {
  const feeds = new Map<string, KnownValues & { bytes: number }>()
  let bytes = 0

  function drop(feedId: string): void {
    bytes -= feeds.get(feedId)?.bytes ?? 0
    feeds.delete(feedId)
  }

  /** Puts a feed last in line, and makes room for it. */
  function remember(feedId: string, known: KnownValues & { bytes: number }): void {
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
    const revisionOf = createRevisionCounter()
    const attesters = new Map<string, string>()
    const known: KnownValues & { bytes: number } = {
      vintages,
      seen: null,
      bytes: FEED_BYTES,
      append(values) {
        drop(feedId)
        for (const value of values) {
          const { period, amount, source_hash, timestamp } = value
          const attester = attesters.get(value.attester) ?? value.attester
          attesters.set(attester, attester)
          const revision = revisionOf(period, amount)
          vintages.push({
            index: vintages.length,
            period,
            amount,
            source_hash,
            attester,
            timestamp,
            revision,
          })
          known.bytes += VALUE_BYTES + source_hash.length
        }
        remember(feedId, known)
      },
    }
    return known
  }

  return {
    peek: (feedId) => feeds.get(feedId) ?? null,
    get(feedId) {
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
