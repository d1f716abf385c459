import type { AbortSignalLike } from '../async/webTypes.ts'
import type { Attestation } from '../registry/attestation.ts'
import type { Feed } from '../registry/feed.ts'
import type { Reading } from '../registry/reading.ts'
import { assertFeedId, assertIndex } from './argument.ts'

/** How to read. */
export interface ReadOptions {
  /** Ends the wait with its reason; what others wait for as well goes on. */
  signal?: AbortSignalLike | undefined
}

/**
 * Which part of a feed's history to read: indices count from 0, `to` is exclusive and may lie past the end.
 *
 * @example
 * ```ts
 * await client.getValueHistory('EIA.PET.PRICE.WTI.DAILY', { from: 10, to: 20 })
 * ```
 */
export interface HistoryRange extends ReadOptions {
  /** @default 0 */
  from?: number
  /** @default the number of the feed's values */
  to?: number
}

/**
 * Everything that can be read of the two registries, over `state_get_dictionary_item`.
 *
 * `null` means that the chain holds nothing there. Whatever else goes wrong (no node answers, a registry is
 * missing, bytes that do not decode) throws a `WattfeedError`, never `null`; an argument that breaks its rule
 * throws an `InvalidArgumentError`; a `signal` that is aborted, its reason. `u64` fields are numbers, above 2^53 the nearest double.
 */
export interface Reads {
  /**
   * The newest attestation of a feed, as it is on chain.
   *
   * @example
   * ```ts
   * const value = await client.getValue('EIA.PET.PRICE.WTI.DAILY')
   * console.log(value?.amount, value?.attester) // 59910000n account-hash-…
   * ```
   */
  getValue(feedId: string, options?: ReadOptions): Promise<Attestation | null>

  /**
   * The metadata of a feed, or null if the id is not registered.
   *
   * @example
   * ```ts
   * const feed = await client.getFeed('EIA.PET.PRICE.WTI.DAILY')
   * console.log(feed?.unit, feed?.decimals) // $/bbl 6
   * ```
   */
  getFeed(feedId: string, options?: ReadOptions): Promise<Feed | null>

  /**
   * Metadata and newest value of a feed, scaled; null if the id is not registered or has no value.
   *
   * @example
   * ```ts
   * const reading = await client.getReading('EIA.PET.PRICE.WTI.DAILY')
   * console.log(reading?.value, reading?.unit) // 59.91 $/bbl
   * ```
   */
  getReading(feedId: string, options?: ReadOptions): Promise<Reading | null>

  /**
   * How many feeds are registered, with or without a value.
   *
   * @example
   * ```ts
   * console.log(await client.feedCount()) // 36
   * ```
   */
  feedCount(options?: ReadOptions): Promise<number>

  /**
   * The id of the feed that was registered as number `index` (from 0), or null past the end.
   *
   * @example
   * ```ts
   * console.log(await client.feedIdAt(0)) // EIA.NG.PRICE.HENRYHUB.DAILY
   * ```
   */
  feedIdAt(index: number, options?: ReadOptions): Promise<string | null>

  /**
   * All registered ids, in the order of their registration.
   *
   * @example
   * ```ts
   * for (const feedId of await client.listFeedIds()) console.log(feedId)
   * ```
   */
  listFeedIds(options?: ReadOptions): Promise<readonly string[]>

  /**
   * Every feed that is registered and has a value, in registry order: the same frozen array while nothing changed.
   *
   * The first call reads every feed; later ones follow the registries' event logs and read what changed.
   *
   * @example
   * ```ts
   * const dollars = (await client.listReadings()).filter(({ unit }) => unit.startsWith('$'))
   * ```
   */
  listReadings(options?: ReadOptions): Promise<readonly Reading[]>

  /**
   * Attestation number `index` (from 0) of a feed, or null past the end.
   *
   * @example
   * ```ts
   * const first = await client.getValueAt('EIA.PET.PRICE.WTI.DAILY', 0)
   * ```
   */
  getValueAt(feedId: string, index: number, options?: ReadOptions): Promise<Attestation | null>

  /**
   * How many values were ever attested to a feed; 0 if there is none.
   *
   * @example
   * ```ts
   * const count = await client.getValueCount('EIA.PET.PRICE.WTI.DAILY')
   * ```
   */
  getValueCount(feedId: string, options?: ReadOptions): Promise<number>

  /**
   * A feed's attestations, oldest first: one call for the count and one for each value.
   *
   * @example
   * ```ts
   * const history = await client.getValueHistory('EIA.PET.PRICE.WTI.DAILY', { from: 0, to: 30 })
   * ```
   */
  getValueHistory(feedId: string, range?: HistoryRange): Promise<Attestation[]>

  /**
   * How many values were ever attested to all feeds together.
   *
   * @example
   * ```ts
   * console.log(await client.totalAttestations())
   * ```
   */
  totalAttestations(options?: ReadOptions): Promise<number>

  /**
   * The first-party attester, as `account-hash-…` or `hash-…`.
   *
   * @example
   * ```ts
   * console.log(await client.getAttester()) // account-hash-…
   * ```
   */
  getAttester(options?: ReadOptions): Promise<string>

  /**
   * Who may attest to a feed, as `account-hash-…` or `hash-…`: its claimant, or the FeedRegistry's owner for a feed
   * that was registered before claims existed. Null where the id is not registered.
   *
   * @example
   * ```ts
   * console.log(await client.getClaimant('EIA.PET.PRICE.WTI.DAILY')) // account-hash-…
   * ```
   */
  getClaimant(feedId: string, options?: ReadOptions): Promise<string | null>
}

/**
 * Checks arguments before anything is asked, and runs each read with `run`: what finds the snapshot to read from,
 * and ends the wait when time is up or the signal says so.
 */
export function guardReads(
  run: <T>(read: (at: Reads, time?: ReadOptions) => Promise<T>, options?: ReadOptions) => Promise<T>,
): Reads {
  const ofAll =
    <T>(read: (at: Reads) => Promise<T>) =>
    (options?: ReadOptions): Promise<T> =>
      run(read, options)
  const ofFeed =
    <T>(read: (at: Reads, feedId: string) => Promise<T>) =>
    async (feedId: string, options?: ReadOptions): Promise<T> => {
      assertFeedId(feedId)
      return run((at) => read(at, feedId), options)
    }
  return {
    getValue: ofFeed((at, feedId) => at.getValue(feedId)),
    getFeed: ofFeed((at, feedId) => at.getFeed(feedId)),
    getReading: ofFeed((at, feedId) => at.getReading(feedId)),
    getValueCount: ofFeed((at, feedId) => at.getValueCount(feedId)),
    getClaimant: ofFeed((at, feedId) => at.getClaimant(feedId)),
    async getValueAt(feedId, index, options) {
      assertFeedId(feedId)
      assertIndex('index', index)
      return run((at) => at.getValueAt(feedId, index), options)
    },
    async getValueHistory(feedId, range = {}) {
      assertFeedId(feedId)
      assertIndex('from', range.from ?? 0)
      assertIndex('to', range.to ?? 0)
      return run((at, time) => at.getValueHistory(feedId, { ...range, signal: time?.signal }), range)
    },
    async feedIdAt(index, options) {
      assertIndex('index', index)
      return run((at) => at.feedIdAt(index), options)
    },
    feedCount: ofAll((at) => at.feedCount()),
    listFeedIds: ofAll((at) => at.listFeedIds()),
    listReadings: ofAll((at) => at.listReadings()),
    totalAttestations: ofAll((at) => at.totalAttestations()),
    getAttester: ofAll((at) => at.getAttester()),
  }
}
