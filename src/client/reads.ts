import type { AbortSignalLike } from '../async/webTypes.ts'
import type { Attestation } from '../registry/attestation.ts'
import type { Feed } from '../registry/feed.ts'
import type { Reading } from '../registry/reading.ts'
import { assertFeedId, assertIndex } from './argument.ts'

export interface ReadOptions {
  /** Ends the wait with its reason; reads shared with others continue. */
  signal?: AbortSignalLike | undefined
}

/**
 * Part of a feed's history: indices count from 0, `to` is exclusive and may lie past the end.
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
 * `null` means only that the chain holds no value. Anything else (no node answers, a registry is missing, malformed
 * bytes) throws a `WattfeedError`, an invalid argument an `InvalidArgumentError`, and an aborted `signal` its reason.
 * `u64` fields are numbers, above 2^53 the nearest double.
 */
export interface Reads {
  /**
   * Returns a feed's newest attestation as stored on chain, or null if there is none.
   *
   * @example
   * ```ts
   * const value = await client.getValue('EIA.PET.PRICE.WTI.DAILY')
   * console.log(value?.amount, value?.attester) // 59910000n account-hash-…
   * ```
   */
  getValue(feedId: string, options?: ReadOptions): Promise<Attestation | null>

  /**
   * Returns a feed's metadata, or null if the id is not registered.
   *
   * @example
   * ```ts
   * const feed = await client.getFeed('EIA.PET.PRICE.WTI.DAILY')
   * console.log(feed?.unit, feed?.decimals) // $/bbl 6
   * ```
   */
  getFeed(feedId: string, options?: ReadOptions): Promise<Feed | null>

  /**
   * Returns a feed's metadata and newest value, scaled; null if the id is not registered or has no value.
   *
   * @example
   * ```ts
   * const reading = await client.getReading('EIA.PET.PRICE.WTI.DAILY')
   * console.log(reading?.value, reading?.unit) // 59.91 $/bbl
   * ```
   */
  getReading(feedId: string, options?: ReadOptions): Promise<Reading | null>

  /**
   * Returns how many feeds are registered, with or without a value.
   *
   * @example
   * ```ts
   * console.log(await client.feedCount()) // 36
   * ```
   */
  feedCount(options?: ReadOptions): Promise<number>

  /**
   * Returns the id of the feed registered at `index` (from 0), or null past the end.
   *
   * @example
   * ```ts
   * console.log(await client.feedIdAt(0)) // EIA.NG.PRICE.HENRYHUB.DAILY
   * ```
   */
  feedIdAt(index: number, options?: ReadOptions): Promise<string | null>

  /**
   * Returns all registered ids, in order of registration.
   *
   * @example
   * ```ts
   * for (const feedId of await client.listFeedIds()) console.log(feedId)
   * ```
   */
  listFeedIds(options?: ReadOptions): Promise<readonly string[]>

  /**
   * Returns every feed that has a value, in order of registration: the same frozen array while nothing changed.
   *
   * The first call reads every feed; later ones follow the registries' event logs and read only changes.
   *
   * @example
   * ```ts
   * const dollars = (await client.listReadings()).filter(({ unit }) => unit.startsWith('$'))
   * ```
   */
  listReadings(options?: ReadOptions): Promise<readonly Reading[]>

  /**
   * Returns a feed's attestation at `index` (from 0), or null past the end.
   *
   * @example
   * ```ts
   * const first = await client.getValueAt('EIA.PET.PRICE.WTI.DAILY', 0)
   * ```
   */
  getValueAt(feedId: string, index: number, options?: ReadOptions): Promise<Attestation | null>

  /**
   * Returns how many values were ever attested to a feed; 0 if there is no such feed.
   *
   * @example
   * ```ts
   * const count = await client.getValueCount('EIA.PET.PRICE.WTI.DAILY')
   * ```
   */
  getValueCount(feedId: string, options?: ReadOptions): Promise<number>

  /**
   * Returns a feed's attestations, oldest first: one call for the count and one for each value.
   *
   * @example
   * ```ts
   * const history = await client.getValueHistory('EIA.PET.PRICE.WTI.DAILY', { from: 0, to: 30 })
   * ```
   */
  getValueHistory(feedId: string, range?: HistoryRange): Promise<Attestation[]>

  /**
   * Returns how many values were ever attested to all feeds together.
   *
   * @example
   * ```ts
   * console.log(await client.totalAttestations())
   * ```
   */
  totalAttestations(options?: ReadOptions): Promise<number>

  /**
   * Returns the first-party attester, as `account-hash-…` or `hash-…`.
   *
   * @example
   * ```ts
   * console.log(await client.getAttester()) // account-hash-…
   * ```
   */
  getAttester(options?: ReadOptions): Promise<string>

  /**
   * Returns who may attest to a feed, as `account-hash-…` or `hash-…`: its claimant, or the FeedRegistry's owner if it was
   * registered before claims existed. Null if the id is not registered.
   *
   * @example
   * ```ts
   * console.log(await client.getClaimant('EIA.PET.PRICE.WTI.DAILY')) // account-hash-…
   * ```
   */
  getClaimant(feedId: string, options?: ReadOptions): Promise<string | null>

  /**
   * Returns how far the registries' event logs have grown: `f36.a1204` after 36 events of the FeedRegistry and 1204 of the
   * AttestationRegistry. It grows with every change, unlike a state root, which changes with every block. A part is absent
   * where a registry keeps no log; null if neither does.
   *
   * Makes two calls, or none once the readings were listed.
   *
   * @example
   * ```ts
   * console.log(await client.getLogLengths()) // f36.a1204
   * ```
   */
  getLogLengths(options?: ReadOptions): Promise<string | null>
}

/**
 * Creates reads that check their arguments first, and then run through `run`, which finds the snapshot and applies the
 * deadline and the signal.
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
    getLogLengths: ofAll((at) => at.getLogLengths()),
  }
}
