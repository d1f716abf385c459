import { assertOptions, DecodeError, readSequence } from '@wattfeed/base'
import { type GlobalState, isStateNotKept } from '@wattfeed/casper'
import type { Attestation } from '../registry/attestation.ts'
import type { Feed } from '../registry/feed.ts'
import { attestationRegistryField, feedRegistryField } from '../registry/fields.ts'
import { createReading, type Reading } from '../registry/reading.ts'
import type { Registries, RegistryContract } from '../registry/registryContract.ts'
import { type FieldRequest, type RootReader, readerOf } from '../registry/rootReader.ts'
import { type Absences, ASK_AGAIN_AFTER_MS } from './absences.ts'
import { assertFeedId, assertIndex, assertReadOptions, readOptionNames } from './argument.ts'
import { readAttester } from './attester.ts'
import type { EventLogs } from './feeds/eventLogs.ts'
import type { FeedList } from './feeds/feedList.ts'
import type { RootFeeds } from './feeds/feeds.ts'
import type { HistoryRange, ReadOptions, Reads } from './reads.ts'
import type { Verification } from './verification.ts'

/** A state root, read from a node. */
export interface StateRoot {
  /** 64 hex digits. */
  readonly stateRootHash: string
  /** Time when the state root was fetched, in epoch milliseconds. */
  readonly fetchedAt: number
  /** Returns the time since then in milliseconds, by a monotonic clock. */
  ageMs(): number
  /** The verification of the block; null with `verify: 'off'`. */
  readonly verification: Verification | null
}

/**
 * Reads at one state root, so their results agree with each other.
 *
 * @example
 * ```ts
 * const at = await client.snapshot()
 * const id = 'EIA.PET.PRICE.WTI.DAILY'
 * const [value, count] = await Promise.all([at.getValue(id), at.getValueCount(id)])
 * ```
 */
export interface Snapshot extends Reads, StateRoot {
  /**
   * Returns the event logs at this state root, for `wattfeed/live`. Reads every feed first if none are cached.
   *
   * @rpc query_global_state, state_get_dictionary_item
   */
  logs(): Promise<EventLogs>
}

export interface SnapshotSource extends Registries {
  reader: RootReader
  feeds: Pick<RootFeeds, 'known' | 'lastKnown' | 'list' | 'logLengths'>
  /** How the absence of values is shown; null if they are not proven. */
  absences: Absences | null
  concurrency: number
  /** Milliseconds of a monotonic clock. */
  now: () => number
}

/** Creates the reads at one state root. Known feeds take no call. */
export function createReads(source: SnapshotSource): Reads {
  const reads = createUncheckedReads(source)
  return createCheckedReads((read, options) => read(reads, options))
}

/**
 * Creates reads that check their arguments first.
 *
 * @param run - calls `read` with the reads to use, and may limit its time
 */
export function createCheckedReads(
  run: <T>(read: (at: Reads, time?: ReadOptions) => Promise<T>, options?: ReadOptions) => Promise<T>,
): Reads {
  const ofAll =
    <T>(read: (at: Reads) => Promise<T>) =>
    async (options?: ReadOptions): Promise<T> => {
      assertReadOptions(options)
      return run(read, options)
    }
  const ofFeed =
    <T>(read: (at: Reads, feedId: string) => Promise<T>) =>
    async (feedId: string, options?: ReadOptions): Promise<T> => {
      assertFeedId(feedId)
      assertReadOptions(options)
      return run((at) => read(at, feedId), options)
    }
  return {
    getValue: ofFeed((at, feedId) => at.getValue(feedId)),
    getFeed: ofFeed((at, feedId) => at.getFeed(feedId)),
    getReading: ofFeed((at, feedId) => at.getReading(feedId)),
    getValueCount: ofFeed((at, feedId) => at.getValueCount(feedId)),
    getClaimant: ofFeed((at, feedId) => at.getClaimant(feedId)),
    getAttester: ofFeed((at, feedId) => at.getAttester(feedId)),
    async getValueAt(feedId, index, options) {
      assertFeedId(feedId)
      assertIndex('index', index)
      assertReadOptions(options)
      return run((at) => at.getValueAt(feedId, index), options)
    },
    async getValueHistory(feedId, range = {}) {
      assertFeedId(feedId)
      assertOptions(range, { from: 1, to: 1, ...readOptionNames })
      assertIndex('from', range.from ?? 0)
      assertIndex('to', range.to ?? 0)
      return run((at, time) => at.getValueHistory(feedId, { ...range, signal: time?.signal }), range)
    },
    async feedIdAt(index, options) {
      assertIndex('index', index)
      assertReadOptions(options)
      return run((at) => at.feedIdAt(index), options)
    },
    feedCount: ofAll((at) => at.feedCount()),
    listFeedIds: ofAll((at) => at.listFeedIds()),
    listReadings: ofAll((at) => at.listReadings()),
    totalAttestations: ofAll((at) => at.totalAttestations()),
    getFirstPartyAttester: ofAll((at) => at.getFirstPartyAttester()),
    getLogLengths: ofAll((at) => at.getLogLengths()),
  }
}

function createUncheckedReads(source: SnapshotSource): Reads {
  const { feedRegistry, attestationRegistry, reader, feeds, absences } = source
  const read = createFieldCache(source)
  const { isMissingFromList, isPastEnd } = createCounting(feeds, absences, readFeedCount)

  const knownCount = (): number => feeds.lastKnown()?.entries.size ?? 0
  const isListed = (feedId: string): boolean => feeds.lastKnown()?.entries.has(feedId) ?? false
  const hasValue = (feedId: string): boolean =>
    (feeds.lastKnown()?.entries.get(feedId)?.value ?? null) !== null

  async function readFeedCount(): Promise<number> {
    return (await read(feedRegistry, feedRegistryField.count, knownCount() > 0)) ?? 0
  }

  async function getFeed(feedId: string): Promise<Feed | null> {
    if (await isMissingFromList(feedId)) return null
    return read(feedRegistry, feedRegistryField.feed(feedId), isListed(feedId))
  }

  const { getValueCount, getValueAt, getValueHistory } = createValueReads(source, {
    read,
    isPastEnd,
    hasValue,
  })

  const getValue = (feedId: string): Promise<Attestation | null> =>
    read(attestationRegistry, attestationRegistryField.latest(feedId), hasValue(feedId))

  async function getReading(feedId: string): Promise<Reading | null> {
    if (await isMissingFromList(feedId)) return null
    const list = feeds.known()
    if (list && (absences === null || list.entries.has(feedId))) return knownReading(list, feedId)
    const [feed, value] = await Promise.all([getFeed(feedId), getValue(feedId)])
    return feed && value ? createReading(feedId, feed, value) : null
  }

  const feedCount = async (): Promise<number> => feeds.known()?.entries.size ?? readFeedCount()

  async function getClaimant(feedId: string): Promise<string | null> {
    const [feed, claimant] = await Promise.all([
      getFeed(feedId),
      read(feedRegistry, feedRegistryField.claimant(feedId)),
    ])
    return feed && (claimant ?? read(feedRegistry, feedRegistryField.owner, true))
  }

  return {
    getValue,
    getFeed,
    getReading,
    feedCount,
    async feedIdAt(index) {
      if (await isPastEnd(index, readFeedCount)) return null
      return read(feedRegistry, feedRegistryField.id(index), index < knownCount())
    },
    listFeedIds: async () => [...(await feeds.list()).feedIds],
    listReadings: async () => (await feeds.list()).readings,
    getValueAt,
    getValueCount,
    getValueHistory,
    async totalAttestations() {
      const known = feeds.lastKnown()?.lengths.attestation ?? 0
      return (await read(attestationRegistry, attestationRegistryField.total, known > 0)) ?? 0
    },
    async getFirstPartyAttester() {
      const attester = await read(attestationRegistry, attestationRegistryField.attester)
      if (attester === null)
        throw new DecodeError('AttestationRegistry.attester', 'the node returned no value')
      return attester
    },
    getClaimant,
    async getAttester(feedId) {
      const claimant = await getClaimant(feedId)
      return claimant === null ? null : readAttester(reader, claimant)
    },
    getLogLengths: feeds.logLengths,
  }
}

/** Creates the reads of feeds' values by their place in the history. */
function createValueReads(
  { attestationRegistry, reader, concurrency }: SnapshotSource,
  {
    read,
    isPastEnd,
    hasValue,
  }: {
    read: ReturnType<typeof createFieldCache>
    isPastEnd: ReturnType<typeof createCounting>['isPastEnd']
    hasValue: (feedId: string) => boolean
  },
): Pick<Reads, 'getValueCount' | 'getValueAt' | 'getValueHistory'> {
  /** The right counts of feeds of which a node counted a value that no node has. */
  const corrected = new Map<string, number>()

  async function getValueCount(feedId: string): Promise<number> {
    const count = corrected.get(feedId)
    if (count !== undefined) return count
    return (await read(attestationRegistry, attestationRegistryField.count(feedId), hasValue(feedId))) ?? 0
  }

  /** Reads values below the feed's count. If no node has one of them, the nodes count again. */
  async function readValues<T>(feedId: string, readTo: (count: number) => Promise<T>): Promise<T> {
    const count = await getValueCount(feedId)
    try {
      return await readTo(count)
    } catch (error) {
      // Loaded with the code that follows the logs, because it is hardly ever needed.
      const { readAfterRecount } = await import('./feeds/known.ts')
      const request = attestationRegistryField.count(feedId)
      const readCount = (node: GlobalState) => readerOf(node, reader).readField(attestationRegistry, request)
      return readAfterRecount(reader.state, { count, readCount, error }, (right) => {
        if (corrected.size >= MAX_CACHED_ITEMS) corrected.clear()
        corrected.set(feedId, right)
        return readTo(right)
      })
    }
  }

  async function getValueAt(feedId: string, index: number): Promise<Attestation | null> {
    const request = attestationRegistryField.history(feedId, index)
    if (await isPastEnd(index, () => getValueCount(feedId))) return null
    const value = await read(attestationRegistry, request)
    if (value !== null) return value
    return readValues(feedId, async (count) =>
      index < count ? read(attestationRegistry, request, true) : null,
    )
  }

  async function getValueHistory(feedId: string, range: HistoryRange = {}): Promise<Attestation[]> {
    const { from = 0, to = Number.MAX_SAFE_INTEGER, signal } = range
    return readValues(feedId, (count) =>
      readSequence({ from, to: Math.min(to, count), concurrency }, (index) => {
        if (signal?.aborted) throw signal.reason
        return reader.readKnownField(attestationRegistry, attestationRegistryField.history(feedId, index))
      }),
    )
  }

  return { getValueCount, getValueAt, getValueHistory }
}

/** @throws {@link DecodeError} when the feed does not decode. */
function knownReading({ entries }: FeedList, feedId: string): Reading | null {
  const { reading = null, fault = null } = entries.get(feedId) ?? {}
  if (fault) throw fault
  return reading
}

interface Cached {
  item: Promise<unknown>
  /** The time when the item was found to be absent; `Infinity` if it is present. */
  absentSince: number
}

/** Limit for the cached items per root, so that a flood of invented ids does not exhaust memory. */
const MAX_CACHED_ITEMS = 1_000

/** Creates a function that reads fields at one state root and caches them. */
function createFieldCache({ reader, now }: Pick<SnapshotSource, 'reader' | 'now'>) {
  const cached = new Map<string, Cached>()

  /** `isThere` if the value is known to exist. The logs only grow, so a node that reports it as absent is wrong. */
  return function read<T>(
    registry: RegistryContract,
    request: FieldRequest<T>,
    isThere = false,
  ): Promise<T | null> {
    const name = `${registry.name}.${request.what}`
    const known = cached.get(name)
    const isKnown = isThere ? known?.absentSince === Number.POSITIVE_INFINITY : known !== undefined
    if (known && isKnown && now() - known.absentSince < ASK_AGAIN_AFTER_MS)
      return known.item as Promise<T | null>
    if (cached.size >= MAX_CACHED_ITEMS) cached.clear()
    const item = isThere ? reader.readKnownField(registry, request) : reader.readField(registry, request)
    const entry = { item, absentSince: Number.POSITIVE_INFINITY }
    cached.set(name, entry)
    item.then(
      (value) => {
        if (value === null) entry.absentSince = now()
      },
      (error) => {
        cached.delete(name)
        // The contract is not at fault if its old state is gone.
        if (!isStateNotKept(error)) registry.forget()
      },
    )
    return item
  }
}

/**
 * Creates the checks that show by counting that something is absent. They need proven lists and counts. `readFeedCount`
 * reads the number of feeds at the state root.
 */
export function createCounting(
  feeds: Pick<RootFeeds, 'known' | 'list'>,
  absences: Absences | null,
  readFeedCount: () => Promise<number>,
) {
  /** Records an absence. A count of 0 is an absent item itself: how that was shown is recorded when it is read. */
  function recordShown(count: number): void {
    if (count > 0) absences?.record('count')
  }

  /**
   * Returns whether a list has the ids of all feeds. One that followed the event logs lacks a feed that a contract registered
   * without an event, so it is compared with the registry's number of feeds.
   */
  async function isComplete({ entries, feedIds, changes, lengths }: FeedList): Promise<boolean> {
    if (feedIds.length < entries.size) return false
    const wasRead = changes === null && lengths.feed !== null && lengths.attestation !== null
    return wasRead || (await readFeedCount()) === entries.size
  }

  return {
    /** Returns whether the list of all ids lacks a feed. */
    async isMissingFromList(feedId: string): Promise<boolean> {
      if (absences === null) return false
      const known = feeds.known() ?? (absences.isProofRequired ? await feeds.list() : null)
      if (known === null || known.entries.has(feedId) || !(await isComplete(known))) return false
      recordShown(known.entries.size)
      return true
    },
    /** Returns whether an index is past the end of an append-only list. */
    async isPastEnd(index: number, readCount: () => Promise<number>): Promise<boolean> {
      if (absences === null) return false
      const count = await readCount()
      if (index < count) return false
      recordShown(count)
      return true
    },
  }
}
