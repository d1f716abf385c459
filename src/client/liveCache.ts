import { sha256 } from '@noble/hashes/sha2.js'
import { decodeHex, encodeHex } from '../bytes/hex.ts'
import { MAX_CLOCK_AHEAD_MS, readNewestBlock } from '../casper/rpc/nodeStatus.ts'
import type { Rpc } from '../casper/rpc/rpc.ts'
import { isUndecodable } from '../casper/rpc/rpcErrors.ts'
import { createAgreeingRpc } from '../casper/state/agreedAbsence.ts'
import { eventNotThere } from '../odra/eventLog.ts'
import {
  decodeFeedRegistered,
  decodeRevenueAttested,
  type FeedRegistered,
  type RevenueAttested,
} from '../registry/events.ts'
import type { RegistryName } from '../registry/layout.ts'
import type { SourcedRoot } from './chainSource.ts'
import { LaggingNodeError } from './errors.ts'
import {
  type Advanced,
  advanceLive,
  completeLive,
  type Entry,
  isSameRegistries,
  type Live,
  type LiveSource,
  type LogLengths,
  loadLive,
  openFeeds,
  readFeedCount,
  readLengths,
} from './live.ts'
import type { Registry } from './registry.ts'
import { type DecodeEvent, readLog } from './registryLog.ts'
import { createRootReader, type RootReader } from './rootReader.ts'
import { ASK_AGAIN_AFTER_MS } from './snapshot.ts'

/** The event logs of both registries at one state root, for `wattfeed/live`. */
export interface EventLogs {
  /** 64 hex digits each. */
  readonly packageHashes: Readonly<Record<RegistryName, string>>
  /** How many events each log has; 0 if the registry keeps none. */
  readonly lengths: Readonly<Record<RegistryName, number>>
  /** Every registered feed, by its id, in registry order. */
  readonly entries: ReadonlyMap<string, Pick<Entry, 'feed' | 'reading'>>
  /** Reads an event, by one call. */
  readEvent(log: RegistryName, index: number): Promise<LoggedEvent>
}

/** An event of a registry's log. */
export interface LoggedEvent {
  /** First 8 hex digits of the SHA-256 of its bytes. */
  readonly digest: string
  /** Null for events of other kinds, and for those that do not decode. */
  readonly event: FeedRegistered | RevenueAttested | null
}

/** The known feeds, carried to newer state roots. */
export interface LiveCache {
  /** Returns the newest known feeds, or null before the first list. */
  newest(): Live | null
  /** Returns every feed at the reader's state root. */
  at(reader: RootReader): Promise<Live>
  /** Returns how far the event logs have grown: two calls for each reader, or none if `known` are its feeds. */
  version(reader: RootReader, known: Live | null): Promise<string | null>
  /** Returns the event logs at the root of both. */
  logs(reader: RootReader, live: Live): EventLogs
  /**
   * Carries the known feeds to the reader's state root; null if none are known, it is of another chain, or it is so far
   * away that all feeds are read anew in the background. If an event log is shorter than before, drops the known feeds if
   * the root is of a later block, else penalizes the node.
   *
   * @throws {LaggingNodeError} when an event log is shorter than before.
   */
  advanceTo(reader: RootReader, root: SourcedRoot): Promise<Live | null>
  /**
   * Records that the known feeds are current at this root. Now and then reads some that were absent or did not decode
   * again in the background, so that a false answer does not last until the feed's next attestation.
   */
  confirm(root: SourcedRoot, sequence: number): void
}

export interface LiveCacheOptions extends LiveSource {
  rpc: Rpc
  /** Whether `rpc` already makes two nodes agree that a value is absent. */
  agreesOnAbsence: boolean
  onAdvance: (live: Live) => void
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Epoch milliseconds. */
  wallClock: () => number
}

/** How many feeds are read again at a time, in turn. */
const MAX_FETCHED_AGAIN = 8

/** Creates a cache that reads every feed once, and then follows the event logs. `confirmed` is the newest root so far. */
export function createLiveCache(options: LiveCacheOptions, confirmed: SourcedRoot | null = null): LiveCache {
  const { rpc, feedRegistry, attestationRegistry, onAdvance, now, wallClock } = options
  const agreeingRpc = options.agreesOnAbsence ? rpc : createAgreeingRpc(rpc)
  const versions = new WeakMap<RootReader, Promise<string | null>>()
  let newest: Live | null = null
  let loading: Promise<Live> | null = null
  let fetchedAgain = 0
  let fetchedAgainAt = now()
  // Block time of the known feeds; if nodes are trusted, an upper bound for it.
  let knownTime = confirmed ? timeOf(confirmed) : Number.NEGATIVE_INFINITY

  function timeOf({ verification }: SourcedRoot): number {
    return verification?.blockTimestamp ?? wallClock()
  }

  /** Looks the registries up again before the next attempt, as they may have moved. */
  function lookUpAgain(): void {
    feedRegistry.forget()
    attestationRegistry.forget()
  }

  /** Forgets everything: nothing known holds on another chain. */
  function drop(live: Live): void {
    if (newest !== null && newest.sequence <= live.sequence) newest = null
    lookUpAgain()
  }

  function store(live: Live): Live {
    if (newest === null || newest.sequence < live.sequence) {
      newest = live
      onAdvance(live)
    }
    return live
  }

  async function loadAfter(base: Live | null, reader: RootReader): Promise<Live> {
    const loaded = await loadLive(options, reader)
    if (base) assertNotShrunk(base, loaded)
    return store(loaded)
  }

  /** Continues in the background when all callers have given up, because a large registry takes long. */
  function load(reader: RootReader, base: Live | null = null): Promise<Live> {
    loading ??= loadAfter(base, reader).finally(() => {
      loading = null
    })
    return loading
  }

  /** Begins to read everything anew: nobody waits, and no deadline ends it. */
  function loadInBackground({ stateRootHash, sequence }: RootReader, base: Live): void {
    guarded(load(createRootReader(rpc, stateRootHash, sequence), base)).catch(() => {})
  }

  /** Shares a pending load, unless it fails: the node may have forgotten its root. */
  async function findBase(reader: RootReader): Promise<Live> {
    if (newest) return newest
    return loading ? loading.catch(() => load(reader)) : load(reader)
  }

  async function find(reader: RootReader): Promise<Live> {
    const base = await findBase(reader)
    const advanced = await advance(base, reader)
    if (advanced === 'too far') await load(reader, base)
    return typeof advanced === 'string' ? find(reader) : advanced
  }

  /** Drops the known feeds if the reader's root is of another chain. */
  async function advance(base: Live, reader: RootReader): Promise<Advanced> {
    if (base.stateRootHash === reader.stateRootHash) return base
    // A snapshot older than the newest one: the event log cannot be followed backwards.
    if (base.sequence > reader.sequence) return loadLive(options, reader)
    const isSame = await isSameRegistries(options, base, reader)
    const advanced = isSame ? await follow(base, reader) : 'other chain'
    if (advanced === 'other chain') drop(base)
    return typeof advanced === 'string' ? advanced : store(advanced)
  }

  async function advanceKnown(base: Live, reader: RootReader): Promise<Live | null> {
    const advanced = await advance(base, reader)
    if (advanced === 'too far') loadInBackground(reader, base)
    return typeof advanced === 'string' ? null : advanced
  }

  /** Falls back to reading everything, so that an undecodable event does not block the list for good. */
  function follow(base: Live, reader: RootReader): Promise<Advanced> {
    return advanceLive(options, base, reader).catch(async (error) => {
      if (!isUndecodable(error)) throw error
      const loaded = await loadLive(options, reader)
      assertNotShrunk(base, loaded)
      return loaded
    })
  }

  async function guarded<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof LaggingNodeError)) lookUpAgain()
      throw error
    }
  }

  async function readVersion(reader: RootReader, known: Live | null): Promise<string | null> {
    try {
      return formatVersion(known?.lengths ?? (await guarded(readLengths(options, reader))))
    } catch (error) {
      versions.delete(reader)
      throw error
    }
  }

  return {
    newest: () => newest,
    at: (reader) => guarded(find(reader)),
    version(reader, known) {
      const version = versions.get(reader) ?? readVersion(reader, known)
      versions.set(reader, version)
      return version
    },
    logs: (reader, { lengths, entries }) => ({
      packageHashes: {
        FeedRegistry: feedRegistry.packageHash,
        AttestationRegistry: attestationRegistry.packageHash,
      },
      lengths: { FeedRegistry: lengths.feed ?? 0, AttestationRegistry: lengths.attestation ?? 0 },
      entries,
      readEvent: (log, index) =>
        log === 'FeedRegistry'
          ? readLoggedEvent(reader, feedRegistry, index, decodeFeedRegistered)
          : readLoggedEvent(reader, attestationRegistry, index, decodeRevenueAttested),
    }),
    advanceTo: async (reader, root) =>
      newest && guarded(advanceKnown(newest, reader)).catch((error) => throwLagging(error, root)),
    confirm(root, sequence) {
      knownTime = timeOf(root)
      if (now() - fetchedAgainAt < ASK_AGAIN_AFTER_MS) return
      fetchedAgainAt = now()
      // A failure is retried the next time.
      fetchMissing(root.hash, sequence).catch(() => {})
    },
  }

  /** A shorter log at a later block time is no lag: the known feeds are false, or of another chain. */
  async function throwLagging(error: unknown, { node, verification }: SourcedRoot): Promise<never> {
    if (!(error instanceof LaggingNodeError)) throw error
    const status = verification ? null : await rpc.getStatus(node).catch(() => null)
    const time =
      verification?.blockTimestamp ?? readNewestBlock(status)?.timestamp ?? Number.NEGATIVE_INFINITY
    if (time <= knownTime || time > wallClock() + MAX_CLOCK_AHEAD_MS) rpc.penalize(node, error)
    else if (newest) drop(newest)
    throw error
  }

  async function fetchMissing(stateRootHash: string, sequence: number): Promise<void> {
    const base = newest
    if (base?.stateRootHash !== stateRootHash) return
    const found = await complete(base, createRootReader(agreeingRpc, stateRootHash, sequence))
    if (found === base || newest !== base) return
    newest = found
    onAdvance(found)
  }

  /** Reads incomplete feeds again, and everything if a node had hidden some. */
  async function complete(base: Live, reader: RootReader): Promise<Live> {
    if (base.entries.size === 0) lookUpAgain()
    if ((await readFeedCount(options, reader)) > base.entries.size) return loadLive(options, reader)
    const open = openFeeds(base)
    const from = fetchedAgain % Math.max(1, open.length)
    fetchedAgain = from + MAX_FETCHED_AGAIN
    return completeLive(options, base, reader, open.slice(from, from + MAX_FETCHED_AGAIN))
  }
}

async function readLoggedEvent<T extends FeedRegistered | RevenueAttested>(
  reader: RootReader,
  registry: Registry,
  index: number,
  decode: DecodeEvent<T>,
): Promise<LoggedEvent> {
  const read = (decode: DecodeEvent<T>) =>
    readLog(reader, registry, { from: index, to: index + 1, concurrency: 1 }, decode)
  const [found] = await read(decode).catch((error) => {
    if (isUndecodable(error)) return read(() => null)
    throw error
  })
  if (found === undefined) throw eventNotThere(index)
  const digest = encodeHex(sha256(decodeHex(found.bytes, 'event'))).slice(0, 8)
  return { digest, event: found.event }
}

/** Formats how far the event logs have grown: `f36.a1204`; null if there are none. */
function formatVersion({ feed, attestation }: LogLengths): string | null {
  const parts = [feed === null ? [] : `f${feed}`, attestation === null ? [] : `a${attestation}`]
  return parts.flat().join('.') || null
}

/** Ids are only ever appended, so a node that counts fewer on the same chain hides some. */
function assertNotShrunk(base: Live, loaded: Live): void {
  if (loaded.entries.size < base.entries.size)
    throw new LaggingNodeError('FeedRegistry', loaded.entries.size, base.entries.size)
}
