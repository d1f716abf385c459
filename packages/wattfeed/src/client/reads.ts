import type { AbortSignalLike } from '@wattfeed/base'
import type { Attestation } from '../registry/attestation.ts'
import type { Feed } from '../registry/feed.ts'
import type { Reading } from '../registry/reading.ts'
import type { Attester } from './attester.ts'

/** Options of every read. */
export interface ReadOptions {
  /** Aborts the wait and rejects with the signal's reason. Calls shared with other reads continue. */
  signal?: AbortSignalLike | undefined
}

/**
 * Part of a feed's history.
 *
 * @example
 * ```ts
 * await client.getValueHistory('EIA.PET.PRICE.WTI.DAILY', { from: 10, to: 20 })
 * ```
 */
export interface HistoryRange extends ReadOptions {
  /**
   * First index, from 0.
   * @default 0
   */
  from?: number
  /**
   * Index after the last one. It may lie past the end.
   * @default the number of the feed's values
   */
  to?: number
}

/**
 * Reads of the two registries, shared by {@link Client} and {@link Snapshot}.
 *
 * `null` always means that the chain holds no value. A read throws a {@link WattfeedError} for any failure: no node answers,
 * a registry is missing, or bytes are malformed. If the signal aborts, it throws the signal's reason. `u64` fields are
 * numbers; above 2^53 they are the nearest double.
 *
 * The first call to a node is `info_get_status`, which checks the chain's name. A client with `verify` set calls
 * `chain_get_block` instead of `chain_get_state_root_hash`. Reads of a {@link Snapshot} need neither.
 */
export interface Reads {
  /**
   * Returns a feed's newest attestation as stored on chain.
   *
   * @example
   * ```ts
   * const value = await client.getValue('EIA.PET.PRICE.WTI.DAILY')
   * console.log(value?.amount, value?.attester) // 59910000n account-hash-…
   * ```
   *
   * @returns Null if the feed has no value, or the id is not registered.
   * @throws {@link InvalidArgumentError} when `feedId` has a lone surrogate.
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  getValue(feedId: string, options?: ReadOptions): Promise<Attestation | null>

  /**
   * Returns a feed's metadata.
   *
   * @example
   * ```ts
   * const feed = await client.getFeed('EIA.PET.PRICE.WTI.DAILY')
   * console.log(feed?.unit, feed?.decimals) // $/bbl 6
   * ```
   *
   * @returns Null if the id is not registered.
   * @throws {@link InvalidArgumentError} when `feedId` has a lone surrogate.
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  getFeed(feedId: string, options?: ReadOptions): Promise<Feed | null>

  /**
   * Returns a feed's metadata and newest value, scaled.
   *
   * @example
   * ```ts
   * const reading = await client.getReading('EIA.PET.PRICE.WTI.DAILY')
   * console.log(reading?.value, reading?.unit) // 59.91 $/bbl
   * ```
   *
   * @returns Null if the id is not registered, or the feed has no value.
   * @throws {@link InvalidArgumentError} when `feedId` has a lone surrogate.
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  getReading(feedId: string, options?: ReadOptions): Promise<Reading | null>

  /**
   * Returns the number of registered feeds, with or without a value.
   *
   * @example
   * ```ts
   * console.log(await client.feedCount()) // 36
   * ```
   *
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  feedCount(options?: ReadOptions): Promise<number>

  /**
   * Returns the id of the feed registered at an index.
   *
   * @example
   * ```ts
   * console.log(await client.feedIdAt(0)) // EIA.NG.PRICE.HENRYHUB.DAILY
   * ```
   *
   * @param index - in order of registration, from 0
   * @returns Null past the end.
   * @throws {@link InvalidArgumentError} when `index` is not an integer from 0 to 2^53 - 1.
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  feedIdAt(index: number, options?: ReadOptions): Promise<string | null>

  /**
   * Returns the ids of all registered feeds, in order of registration.
   *
   * @example
   * ```ts
   * for (const feedId of await client.listFeedIds()) console.log(feedId)
   * ```
   *
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  listFeedIds(options?: ReadOptions): Promise<readonly string[]>

  /**
   * Returns all feeds that have a value, in order of registration.
   *
   * The first call reads every feed; later calls follow the registries' event logs and read only changes.
   *
   * @example
   * ```ts
   * const dollars = (await client.listReadings()).filter(({ unit }) => unit.startsWith('$'))
   * ```
   *
   * @returns A frozen array: the same one until a value changes. Feeds that do not decode are left out.
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  listReadings(options?: ReadOptions): Promise<readonly Reading[]>

  /**
   * Returns a feed's attestation at an index.
   *
   * @example
   * ```ts
   * const first = await client.getValueAt('EIA.PET.PRICE.WTI.DAILY', 0)
   * ```
   *
   * @param index - place in the feed's history, from 0 (oldest)
   * @returns Null past the end, or if the id is not registered.
   * @throws {@link InvalidArgumentError} when `feedId` has a lone surrogate, or `index` is not an integer from 0 to 2^53 - 1.
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  getValueAt(feedId: string, index: number, options?: ReadOptions): Promise<Attestation | null>

  /**
   * Returns the number of values ever attested to a feed.
   *
   * @example
   * ```ts
   * const count = await client.getValueCount('EIA.PET.PRICE.WTI.DAILY')
   * ```
   *
   * @returns 0 if the id is not registered.
   * @throws {@link InvalidArgumentError} when `feedId` has a lone surrogate.
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  getValueCount(feedId: string, options?: ReadOptions): Promise<number>

  /**
   * Returns a feed's attestations, oldest first. Makes one call for the count and one for each value.
   *
   * For long histories, use `wattfeed/history`, which reads in pages and caches.
   *
   * @example
   * ```ts
   * const history = await client.getValueHistory('EIA.PET.PRICE.WTI.DAILY', { from: 0, to: 30 })
   * ```
   *
   * @param range - the whole history by default
   * @returns An empty array if the range is empty, or the id is not registered.
   * @throws {@link InvalidArgumentError} when `feedId` has a lone surrogate, or `from` or `to` is not an index.
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  getValueHistory(feedId: string, range?: HistoryRange): Promise<Attestation[]>

  /**
   * Returns the number of values ever attested to all feeds together.
   *
   * @example
   * ```ts
   * console.log(await client.totalAttestations())
   * ```
   *
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  totalAttestations(options?: ReadOptions): Promise<number>

  /**
   * Returns the first-party attester: the account that deployed the AttestationRegistry, or its successor.
   *
   * @example
   * ```ts
   * console.log(await client.getFirstPartyAttester()) // account-hash-…
   * ```
   *
   * @returns `account-hash-…` or `hash-…`
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  getFirstPartyAttester(options?: ReadOptions): Promise<string>

  /**
   * Returns the account that may attest to a feed, with its keys and thresholds at the same state root. It tells how many
   * keys must sign a value.
   *
   * @example
   * ```ts
   * const attester = await client.getAttester('EIA.PET.PRICE.WTI.DAILY')
   * if (attester?.authority) console.log(attester.authority.minSigners, attester.authority.keys.length) // 4 5
   * ```
   *
   * @returns Null if the id is not registered. `authority` is null if the attester is a contract.
   * @throws {@link InvalidArgumentError} when `feedId` has a lone surrogate.
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  getAttester(feedId: string, options?: ReadOptions): Promise<Attester | null>

  /**
   * Returns the account or contract that may attest to a feed: its claimant. If the feed was registered before claims
   * existed, that is the owner of the FeedRegistry.
   *
   * @example
   * ```ts
   * console.log(await client.getClaimant('EIA.PET.PRICE.WTI.DAILY')) // account-hash-…
   * ```
   *
   * @returns `account-hash-…` or `hash-…`; null if the id is not registered.
   * @throws {@link InvalidArgumentError} when `feedId` has a lone surrogate.
   * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
   */
  getClaimant(feedId: string, options?: ReadOptions): Promise<string | null>

  /**
   * Returns the lengths of the registries' event logs as text: `f36.a1204` after 36 events of the FeedRegistry and 1204
   * of the AttestationRegistry.
   *
   * The text changes only when a feed changes; a state root changes with every block. Makes two calls, or none after
   * {@link Reads.listReadings}.
   *
   * @example
   * ```ts
   * console.log(await client.getLogLengths()) // f36.a1204
   * ```
   *
   * @returns The text without the part of a registry that has no log; null if neither has one.
   * @rpc chain_get_state_root_hash, query_global_state
   */
  getLogLengths(options?: ReadOptions): Promise<string | null>
}
