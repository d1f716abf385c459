import { DecodeError } from '../bytes/cursor.ts'
import { getBlock } from '../casper/lightClient/getBlock.ts'
import { MAX_CLOCK_AHEAD_MS } from '../casper/rpc/nodeStatus.ts'
import type { Rpc } from '../casper/rpc/rpc.ts'
import { isUndecodable } from '../casper/rpc/rpcErrors.ts'
import type { GlobalState } from '../casper/state/globalState.ts'
import { decodeBlock } from '../casper/types/block.ts'
import { eventNotThere } from '../odra/eventLog.ts'
import {
  decodeFeedRegistered,
  decodeRevenueAttested,
  type FeedRegistered,
  type RevenueAttested,
} from '../registry/events.ts'
import type { RegistryName } from '../registry/layout.ts'
import type { RegistryContract } from '../registry/registryContract.ts'
import { createRootReader, type RootReader } from '../registry/rootReader.ts'
import type { SourcedRoot } from './chainSource.ts'
import { LaggingNodeError } from './errors.ts'
import {
  type Advanced,
  advanceLive,
  assertGrown,
  completeLive,
  type Entry,
  type Live,
  type LiveSource,
  type LogLengths,
  loadLive,
  openFeeds,
  readFeedCount,
  readLengths,
} from './live.ts'
import { type DecodeEvent, digestOf, readLog } from './registryLog.ts'
import { ASK_AGAIN_AFTER_MS } from './snapshot.ts'

/** The event logs of both registries at one state root, for `wattfeed/live`. */
export interface EventLogs {
  /** 64 hex digits each. */
  readonly packageHashes: Readonly<Record<RegistryName, string>>
  /** How many events each log has; 0 if the registry keeps none. */
  readonly lengths: Readonly<Record<RegistryName, number>>
  /** Every registered feed, by its id, in registry order. */
  readonly entries: ReadonlyMap<string, Pick<Entry, 'feed' | 'reading'>>
  /** The same object for every state root of one chain: another one if the chain was replaced. */
  readonly chain: object
  /**
   * Reads an event, by one call.
   *
   * @param expected - the digest that it is known to have: another one must be read repeatedly to be believed
   */
  readEvent(log: RegistryName, index: number, expected?: string): Promise<LoggedEvent>
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
  /**
   * Checks that nothing newer was shown than the feeds of a snapshot: overlapping reads may end in another order.
   *
   * @throws {LaggingNodeError}
   */
  assertNotBehind(live: Live): void
  /** Returns how far the event logs have grown: two calls for each reader, or none if `known` are its feeds. */
  version(reader: RootReader, known: Live | null): Promise<string | null>
  /** Returns the event logs at the root of both. */
  logs(reader: RootReader, live: Live): EventLogs
  /**
   * Carries the known feeds to the reader's state root; null if none are known, the chain was replaced, or it is so far
   * away that all feeds are read anew in the background. A node whose root contradicts what is known is penalized. Only
   * if {@link MIN_CONTRADICTIONS} reads in a row contradict it in the same way, the chain counts as replaced.
   *
   * @throws {LaggingNodeError} when an event log is shorter than before.
   * @throws {DecodeError} when another event stands where a known one was.
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
  state: GlobalState
  /** Two nodes, if there are several, must agree that a value is absent. */
  agreedState: GlobalState
  onAdvance: (live: Live) => void
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Epoch milliseconds. */
  wallClock: () => number
}

/** So many reads in a row must contradict what is known of a chain before it counts as replaced. */
const MIN_CONTRADICTIONS = 5

/** For so long every read of an event must give the same bytes before it counts as not decodable. */
const MIN_DOUBT_MS = 10_000

/** Limit for the events in doubt: a node may invent any number of them. */
const MAX_DOUBTS = 1_000

/** How many feeds are read again at a time, in turn. */
const MAX_FETCHED_AGAIN = 8

/** Creates a cache that reads every feed once, and then follows the event logs. `confirmed` is the newest root so far. */
export function createLiveCache(options: LiveCacheOptions, confirmed: SourcedRoot | null = null): LiveCache {
  const { rpc, state, feedRegistry, attestationRegistry, onAdvance, now, wallClock } = options
  const versions = new WeakMap<RootReader, Promise<string | null>>()
  let newest: Live | null = null
  let loading: Promise<Live> | null = null
  let fetchedAgain = 0
  let fetchedAgainAt = now()
  let chain = {}
  let seen: { lengths: LogLengths; sequence: number } | null = null
  let contradiction = { found: '', times: 0 }
  /** Since when events do not decode, by log, index and digest: a node may send events of any size. */
  const doubts = new Map<string, number>()
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

  /** Forgets everything, because the chain was replaced. */
  function drop(live: Live): void {
    lookUpAgain()
    if (newest !== null && newest.sequence > live.sequence) return
    newest = null
    seen = null
    chain = {}
  }

  /** Whether enough reads in a row found the same instead of what is known. */
  function isConfirmed(found: string): boolean {
    const times = contradiction.found === found ? contradiction.times + 1 : 1
    contradiction = { found, times: times % MIN_CONTRADICTIONS }
    return times >= MIN_CONTRADICTIONS
  }

  function store(live: Live): Live {
    contradiction = { found: '', times: 0 }
    if (seen === null || seen.sequence < live.sequence) seen = live
    if (newest === null || newest.sequence < live.sequence) {
      newest = live
      onAdvance(live)
    }
    return live
  }

  async function loadAfter(base: Live | null, reader: RootReader): Promise<Live> {
    const loaded = await loadLive(options, reader, chain)
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
    guarded(load(createRootReader(state, stateRootHash, sequence), base)).catch(() => {})
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

  /** Drops the known feeds if the chain was replaced. */
  async function advance(base: Live, reader: RootReader): Promise<Live | 'too far' | 'replaced'> {
    if (base.stateRootHash === reader.stateRootHash) return base
    // A snapshot older than the newest one: the event log cannot be followed backwards.
    if (base.sequence > reader.sequence) return loadLive(options, reader, base.chain)
    const advanced = await follow(base, reader)
    if (advanced === 'too far') return advanced
    if (!('found' in advanced)) return store(advanced)
    if (!isConfirmed(advanced.found))
      throw new DecodeError(advanced.what, 'it is not what was read there before')
    drop(base)
    return 'replaced'
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
      const loaded = await loadLive(options, reader, base.chain)
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

  /** @throws {LaggingNodeError} when a log is shorter than at an earlier root. */
  async function readNewLengths(reader: RootReader): Promise<LogLengths> {
    const lengths = await guarded(readLengths(options, reader))
    if (seen !== null && seen.sequence > reader.sequence) return lengths
    if (seen !== null && isShorter(seen.lengths, lengths) && !isConfirmed('shorter'))
      assertGrown(seen.lengths, lengths)
    seen = { lengths, sequence: reader.sequence }
    return lengths
  }

  async function readVersion(reader: RootReader, known: Live | null): Promise<string | null> {
    try {
      return formatVersion(known?.lengths ?? (await readNewLengths(reader)))
    } catch (error) {
      versions.delete(reader)
      throw error
    }
  }

  return {
    newest: () => newest,
    at: (reader) => guarded(find(reader)),
    assertNotBehind(live) {
      if (newest?.chain === live.chain) assertGrown(newest.lengths, live.lengths)
    },
    version(reader, known) {
      const version = versions.get(reader) ?? readVersion(reader, known)
      versions.set(reader, version)
      return version
    },
    logs: (reader, { chain, lengths, entries }) => ({
      chain,
      packageHashes: {
        FeedRegistry: feedRegistry.packageHash,
        AttestationRegistry: attestationRegistry.packageHash,
      },
      lengths: { FeedRegistry: lengths.feed ?? 0, AttestationRegistry: lengths.attestation ?? 0 },
      entries,
      readEvent: (log, index, expected) =>
        log === 'FeedRegistry'
          ? readLoggedEvent(reader, feedRegistry, index, decodeFeedRegistered, expected)
          : readLoggedEvent(reader, attestationRegistry, index, decodeRevenueAttested, expected),
    }),
    advanceTo: async (reader, root) =>
      newest && guarded(advanceKnown(newest, reader)).catch((error) => failedAt(root, error)),
    confirm(root, sequence) {
      knownTime = timeOf(root)
      if (now() - fetchedAgainAt < ASK_AGAIN_AFTER_MS) return
      fetchedAgainAt = now()
      // A failure is retried the next time.
      fetchMissing(root.hash, sequence).catch(() => {})
    },
  }

  /** The node is at fault, unless a shorter log shows again and again that the chain was replaced. */
  async function failedAt(root: SourcedRoot, error: unknown): Promise<never> {
    const base = newest
    if (error instanceof LaggingNodeError && base !== null)
      if ((await isReplaced(base, root)) && isConfirmed('shorter')) drop(base)
    if (error instanceof LaggingNodeError || error instanceof DecodeError) rpc.penalize(root.node, error)
    throw error
  }

  /**
   * Whether a block that is later than what is known has a shorter log, which no lagging node has. Time and root come from
   * one answer: behind a load balancer, the next one may be another node's.
   */
  async function isReplaced(base: Live, root: SourcedRoot): Promise<boolean> {
    const block = await blockOf(root).catch(() => null)
    if (block === null || block.timestamp > wallClock() + MAX_CLOCK_AHEAD_MS) return false
    const reader = createRootReader(state, block.stateRootHash, base.sequence)
    const lengths = await readLengths(options, reader).catch(() => null)
    if (lengths === null) return false
    const { feed, attestation } = base.lengths
    const isAttestationGone = (lengths.attestation ?? 0) < (attestation ?? 0)
    if (isAttestationGone) return block.timestamp > newestAttestationTime(base)
    return (lengths.feed ?? 0) < (feed ?? 0) && block.timestamp > knownTime
  }

  async function blockOf({ hash, verification }: SourcedRoot) {
    if (verification) return { stateRootHash: hash, timestamp: verification.blockTimestamp }
    return (await getBlock(rpc, { identifier: null, decode: decodeBlock })).header
  }

  /** Block time of the newest known attestation; where that is a lie, of when it was read. */
  function newestAttestationTime({ entries }: Live): number {
    const times = [...entries.values()].map(({ value }) => value?.timestamp ?? 0)
    const newest = times.reduce((one, other) => Math.max(one, other), 0)
    return newest > wallClock() + MAX_CLOCK_AHEAD_MS ? knownTime : newest
  }

  /**
   * Reads an event. One that does not decode fails until every read has given the same for a while: it is shown to nobody
   * for good then, and a node may have garbled it.
   */
  async function readLoggedEvent<T extends FeedRegistered | RevenueAttested>(
    reader: RootReader,
    registry: RegistryContract,
    index: number,
    decode: DecodeEvent<T>,
    expected?: string,
  ): Promise<LoggedEvent> {
    const range = { from: index, to: index + 1, concurrency: 1, expected }
    const [found] = await readLog(reader, registry, range, decode)
    if (found === undefined) throw eventNotThere(index)
    const { bytes, event, fault } = found
    const digest = digestOf(bytes)
    if (fault !== null) assertLasting(`${registry.name} ${index} ${digest}`, fault)
    return { digest, event }
  }

  function assertLasting(doubt: string, fault: Error): void {
    const since = doubts.get(doubt) ?? now()
    if (doubts.size >= MAX_DOUBTS) doubts.clear()
    doubts.set(doubt, since)
    if (now() - since < MIN_DOUBT_MS) throw fault
  }

  async function fetchMissing(stateRootHash: string, sequence: number): Promise<void> {
    const base = newest
    if (base?.stateRootHash !== stateRootHash) return
    const found = await complete(base, createRootReader(options.agreedState, stateRootHash, sequence))
    if (found === base || newest !== base) return
    newest = found
    onAdvance(found)
  }

  /** Reads incomplete feeds again, and everything if a node had hidden some. */
  async function complete(base: Live, reader: RootReader): Promise<Live> {
    if (base.entries.size === 0) lookUpAgain()
    if ((await readFeedCount(options, reader)) > base.entries.size)
      return loadLive(options, reader, base.chain)
    const open = openFeeds(base)
    const from = fetchedAgain % Math.max(1, open.length)
    fetchedAgain = from + MAX_FETCHED_AGAIN
    return completeLive(options, base, reader, open.slice(from, from + MAX_FETCHED_AGAIN))
  }
}

/** Formats how far the event logs have grown: `f36.a1204`; null if there are none. */
function formatVersion({ feed, attestation }: LogLengths): string | null {
  const parts = [feed === null ? [] : `f${feed}`, attestation === null ? [] : `a${attestation}`]
  return parts.flat().join('.') || null
}

const isShorter = (seen: LogLengths, lengths: LogLengths): boolean =>
  (lengths.feed ?? 0) < (seen.feed ?? 0) || (lengths.attestation ?? 0) < (seen.attestation ?? 0)

/** Ids are only ever appended, so a node that counts fewer on the same chain hides some. */
function assertNotShrunk(base: Live, loaded: Live): void {
  assertGrown(base.lengths, loaded.lengths)
  if (loaded.entries.size < base.entries.size)
    throw new LaggingNodeError('FeedRegistry', loaded.entries.size, base.entries.size)
}
