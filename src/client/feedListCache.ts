import { DecodeError } from '../bytes/cursor.ts'
import type { Rpc } from '../casper/rpc/rpc.ts'
import { isUndecodable } from '../casper/rpc/rpcErrors.ts'
import type { GlobalState } from '../casper/state/globalState.ts'
import { createRootReader, type RootReader } from '../registry/rootReader.ts'
import type { SourcedRoot } from './chainSource.ts'
import { LaggingNodeError } from './errors.ts'
import { createEventLogs, type EventLogs } from './eventLogs.ts'
import {
  ASK_AGAIN_AFTER_MS,
  assertGrown,
  completeFeedList,
  type FeedList,
  type FeedListSource,
  loadFeedList,
  lookUpAgain,
  openFeeds,
  readFeedCount,
  readLengths,
} from './feedList.ts'
import { createKnownChain, type KnownChain, type KnownChainOptions } from './knownChain.ts'
import { createLogLengths } from './logLengths.ts'
import { type LogStep, logStep } from './logStep.ts'
import { hasLaterShorterLog } from './shorterLog.ts'

/** The known feeds, carried to newer state roots. */
export interface FeedListCache {
  /** Returns the newest known feeds, or null before the first list. */
  newest(): FeedList | null
  /** Returns every feed at the reader's state root. */
  at(reader: RootReader): Promise<FeedList>
  /**
   * Checks that nothing newer was shown than the feeds of a snapshot: overlapping reads may end in another order.
   *
   * @throws {LaggingNodeError}
   */
  assertNotBehind(list: FeedList): void
  /** Returns how far the event logs have grown: two calls for each reader, or none if `known` are its feeds. */
  logLengths(reader: RootReader, known: FeedList | null): Promise<string | null>
  /** Returns the event logs at the root of both. */
  logs(reader: RootReader, list: FeedList): Promise<EventLogs>
  /**
   * Carries the known feeds to the reader's state root; null if none are known, the chain was replaced, or it is so far
   * away that all feeds are read again in the background. A node whose root contradicts what is known is penalized. Only
   * if several reads in a row contradict it in the same way, the chain counts as replaced.
   *
   * @throws {LaggingNodeError} when an event log is shorter than before.
   * @throws {DecodeError} when another event stands where a known one was.
   */
  advanceTo(reader: RootReader, root: SourcedRoot): Promise<FeedList | null>
  /**
   * Records that the known feeds are current at this root. Now and then reads some that were absent or did not decode
   * again in the background, so that a false answer does not last until the feed's next attestation.
   */
  confirm(root: SourcedRoot, sequence: number): void
}

export interface FeedListCacheOptions extends KnownChainOptions {
  rpc: Rpc
  state: GlobalState
  /** Two nodes, if there are several, must agree that a value is absent. */
  agreedState: GlobalState
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Epoch milliseconds. */
  wallClock: () => number
}

/** Creates a cache that reads every feed once, and then follows the event logs. */
export function createFeedListCache(options: FeedListCacheOptions): FeedListCache {
  const { rpc, state, wallClock } = options
  const chain = createKnownChain(options)
  const eventLogs = createEventLogs(options)
  const completion = createCompletion(options, chain)
  const loader = createLoader(options, chain, completion.postpone)
  // Block time of the known feeds; if nodes are trusted, an upper bound for it.
  let knownTime = Number.NEGATIVE_INFINITY

  async function find(reader: RootReader): Promise<FeedList> {
    const base = chain.newest() ?? (await loader.first(reader))
    const advanced = await advance(base, reader)
    if (advanced === 'too far') await loader.load(reader, base)
    return typeof advanced === 'string' ? find(reader) : advanced
  }

  /** Forgets the known feeds if the chain was replaced. */
  async function advance(base: FeedList, reader: RootReader): Promise<FeedList | 'too far' | 'replaced'> {
    if (base.stateRootHash === reader.stateRootHash) return base
    // A snapshot older than the newest one: the event log cannot be followed backwards.
    if (base.sequence > reader.sequence) return loadFeedList(options, reader, base.chain)
    const step = await follow(options, base, reader)
    if (step.kind === 'too far') return 'too far'
    if (step.kind === 'advanced') {
      eventLogs.remember(step.list, step.events)
      chain.add(step.list)
      return step.list
    }
    if (chain.isReplaced(base, step.found)) return 'replaced'
    throw new DecodeError(step.what, 'it is not what was read there before')
  }

  async function advanceKnown(base: FeedList, reader: RootReader): Promise<FeedList | null> {
    const advanced = await advance(base, reader)
    if (typeof advanced !== 'string') return advanced
    if (advanced === 'too far') {
      // Nobody waits for it, and no deadline ends it.
      const unlimited = createRootReader(state, reader.stateRootHash, reader.sequence)
      guarded(options, loader.load(unlimited, base)).catch(() => {})
    }
    return null
  }

  /** The node is at fault, unless a shorter log shows again and again that the chain was replaced. */
  async function failedAt(root: SourcedRoot, error: unknown): Promise<never> {
    const base = chain.newest()
    if (error instanceof LaggingNodeError && base !== null)
      if (await hasLaterShorterLog(options, base, knownTime, root)) chain.isReplaced(base, 'shorter')
    if (error instanceof LaggingNodeError || error instanceof DecodeError) rpc.penalize(root.node, error)
    throw error
  }

  return {
    newest: chain.newest,
    at: (reader) => guarded(options, find(reader)),
    assertNotBehind(list) {
      const newest = chain.newest()
      if (newest?.chain === list.chain) assertGrown(newest.lengths, list.lengths)
    },
    logLengths: createLogLengths(chain, (reader) => guarded(options, readLengths(options, reader))),
    logs: async (reader, list) => eventLogs.at(reader, list),
    async advanceTo(reader, root) {
      const base = chain.newest()
      return base && guarded(options, advanceKnown(base, reader)).catch((error) => failedAt(root, error))
    },
    confirm(root, sequence) {
      knownTime = root.verification?.blockTimestamp ?? wallClock()
      const newest = chain.newest()
      if (newest?.stateRootHash === root.hash) completion.continue(newest, sequence)
    },
  }
}

/** Reads every feed, once for all who wait. `onFirst` is called where nothing was known. */
function createLoader(options: FeedListCacheOptions, chain: KnownChain, onFirst: () => void) {
  let loading: Promise<FeedList> | null = null

  async function loadAfter(base: FeedList | null, reader: RootReader): Promise<FeedList> {
    if (base === null) onFirst()
    const loaded = await loadFeedList(options, reader, chain.identity())
    if (base) assertNotShrunk(base, loaded)
    chain.add(loaded)
    return loaded
  }

  /** Continues in the background when all callers have given up, because a large registry takes long. */
  function load(reader: RootReader, base: FeedList | null = null): Promise<FeedList> {
    loading ??= loadAfter(base, reader).finally(() => {
      loading = null
    })
    return loading
  }

  return {
    load,
    /** Shares a pending load, unless it fails: the node may have forgotten its root. */
    first: (reader: RootReader): Promise<FeedList> =>
      loading ? loading.catch(() => load(reader)) : load(reader),
  }
}

/** Falls back to reading everything, so that an undecodable event does not block the list for good. */
function follow(source: FeedListSource, base: FeedList, reader: RootReader): Promise<LogStep> {
  return logStep(source, base, reader).catch(async (error) => {
    if (!isUndecodable(error)) throw error
    const list = await loadFeedList(source, reader, base.chain)
    assertNotShrunk(base, list)
    return { kind: 'advanced', list, events: [] }
  })
}

/** Looks the registries up again if the work fails. A node that lags says nothing about where they are. */
async function guarded<T>(source: FeedListSource, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof LaggingNodeError)) lookUpAgain(source)
    throw error
  }
}

/** How many feeds are read again at a time, in turn. */
const MAX_COMPLETED = 8

/** Now and then reads some incomplete feeds again, in turn, and everything if a node had hidden some. */
function createCompletion(options: FeedListCacheOptions, chain: KnownChain) {
  const { agreedState, now } = options
  let continuedAt = now()
  let next = 0

  async function readSome(base: FeedList, reader: RootReader): Promise<FeedList> {
    if (base.entries.size === 0) lookUpAgain(options)
    if ((await readFeedCount(options, reader)) > base.entries.size)
      return loadFeedList(options, reader, base.chain)
    const open = openFeeds(base)
    const from = next % Math.max(1, open.length)
    next = from + MAX_COMPLETED
    return completeFeedList(options, base, reader, open.slice(from, next))
  }

  async function complete(base: FeedList, sequence: number): Promise<void> {
    const found = await readSome(base, createRootReader(agreedState, base.stateRootHash, sequence))
    if (found !== base && chain.newest() === base) chain.show(found)
  }

  function postpone(): void {
    continuedAt = now()
  }

  return {
    /** Waits as long as after a read. */
    postpone,
    /** Reads in the background if that is due. */
    continue(base: FeedList, sequence: number): void {
      if (now() - continuedAt < ASK_AGAIN_AFTER_MS) return
      postpone()
      // A failure is retried the next time.
      complete(base, sequence).catch(() => {})
    },
  }
}

/** Ids are only ever appended, so a node that counts fewer on the same chain hides some. */
function assertNotShrunk(base: FeedList, loaded: FeedList): void {
  assertGrown(base.lengths, loaded.lengths)
  if (loaded.entries.size < base.entries.size)
    throw new LaggingNodeError('FeedRegistry', loaded.entries.size, base.entries.size)
}
