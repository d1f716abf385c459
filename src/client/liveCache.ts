import { MAX_AHEAD_MS, readNewestBlock } from '../casper/rpc/nodeStatus.ts'
import type { Rpc } from '../casper/rpc/rpc.ts'
import { isUndecodable } from '../casper/rpc/rpcErrors.ts'
import { createAgreeingRpc } from '../casper/state/agreedAbsence.ts'
import type { SourcedRoot } from './chainSource.ts'
import { LaggingNodeError } from './errors.ts'
import {
  advanceLive,
  completeLive,
  isSameRegistries,
  type Live,
  type LiveSource,
  loadLive,
  openFeeds,
  readFeedCount,
} from './live.ts'
import { createRootReader, type RootReader } from './rootReader.ts'
import { ASK_AGAIN_AFTER_MS } from './snapshot.ts'

/** What is known of every feed, carried to newer state roots. */
export interface LiveCache {
  /** The newest that is known, or null before it was first asked for. */
  newest(): Live | null
  /** Every feed at the reader's state root. */
  at(reader: RootReader): Promise<Live>
  /**
   * Carries what is known to the reader's state root; null if nothing is, or it is of another chain. Where an event log
   * is shorter than before, what is known is dropped if the root is of a later block, and else the node penalized.
   *
   * @throws {LaggingNodeError} when an event log is shorter than before.
   */
  advanceTo(reader: RootReader, root: SourcedRoot): Promise<Live | null>
  /**
   * What is known holds at this root. Now and then some of what was not there, or did not decode, is asked for again in
   * the background, so that a false answer does not stay until the feed's next attestation.
   */
  confirm(root: SourcedRoot, sequence: number): void
}

export interface LiveCacheOptions extends LiveSource {
  rpc: Rpc
  /** Whether `rpc` has two nodes agree that something is not there. */
  agreesOnAbsence: boolean
  onAdvance: (live: Live) => void
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Epoch milliseconds. */
  wallClock: () => number
}

/** How many feeds are fetched again at once: they are taken in turn. */
const MAX_FETCHED_AGAIN = 8

/** Reads every feed when first asked; from then on the event logs tell what changed. `confirmed` is the newest root so far. */
export function createLiveCache(options: LiveCacheOptions, confirmed: SourcedRoot | null = null): LiveCache {
  const { rpc, feedRegistry, attestationRegistry, onAdvance, now, wallClock } = options
  const agreeingRpc = options.agreesOnAbsence ? rpc : createAgreeingRpc(rpc)
  let newest: Live | null = null
  let loading: Promise<Live> | null = null
  let fetchedAgain = 0
  let fetchedAgainAt = now()
  // What is known holds at this block time; where nodes are trusted, at no later one than this.
  let knownTime = confirmed ? timeOf(confirmed) : Number.NEGATIVE_INFINITY

  function timeOf({ verification }: SourcedRoot): number {
    return verification?.blockTimestamp ?? wallClock()
  }

  /** The registries may have moved: look them up again before the next try. */
  function lookUpAgain(): void {
    feedRegistry.forget()
    attestationRegistry.forget()
  }

  /** Another chain has another past: nothing that is known holds there. */
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

  /** Goes on in the background when nobody waits any longer: a large registry takes its time. */
  function load(reader: RootReader): Promise<Live> {
    loading ??= loadLive(options, reader)
      .then(store)
      .finally(() => {
        loading = null
      })
    return loading
  }

  /** What others are loading serves as well, unless it fails: the node may have forgotten their root. */
  async function findBase(reader: RootReader): Promise<Live> {
    if (newest) return newest
    return loading ? loading.catch(() => load(reader)) : load(reader)
  }

  async function find(reader: RootReader): Promise<Live> {
    const base = await findBase(reader)
    return (await advance(base, reader)) ?? find(reader)
  }

  /** Null where the reader's root is of another chain: then what was known is dropped. */
  async function advance(base: Live, reader: RootReader): Promise<Live | null> {
    if (base.stateRootHash === reader.stateRootHash) return base
    // A snapshot from before the newest one: the event log cannot be walked back.
    if (base.sequence > reader.sequence) return loadLive(options, reader)
    const isSame = await isSameRegistries(options, base, reader)
    const advanced = isSame ? await follow(base, reader) : null
    if (advanced === null) drop(base)
    return advanced && store(advanced)
  }

  /** An event that no node can make readable must not stop the list for good: then everything is read. */
  function follow(base: Live, reader: RootReader): Promise<Live | null> {
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

  return {
    newest: () => newest,
    at: (reader) => guarded(find(reader)),
    advanceTo: async (reader, root) =>
      newest && guarded(advance(newest, reader)).catch((error) => throwLagging(error, root)),
    confirm(root, sequence) {
      knownTime = timeOf(root)
      if (now() - fetchedAgainAt < ASK_AGAIN_AFTER_MS) return
      fetchedAgainAt = now()
      // What fails now is asked for again the next time.
      fetchMissing(root.hash, sequence).catch(() => {})
    },
  }

  /** A shorter log at a later block time is not of a node that lags: what is known is a lie, or of another chain. */
  async function throwLagging(error: unknown, { node, verification }: SourcedRoot): Promise<never> {
    if (!(error instanceof LaggingNodeError)) throw error
    const status = verification ? null : await rpc.getStatus(node).catch(() => null)
    const time =
      verification?.blockTimestamp ?? readNewestBlock(status)?.timestamp ?? Number.NEGATIVE_INFINITY
    if (time <= knownTime || time > wallClock() + MAX_AHEAD_MS) rpc.penalize(node, error)
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

  /** A node that counted too few feeds has hidden the others. */
  async function complete(base: Live, reader: RootReader): Promise<Live> {
    if (base.entries.size === 0) lookUpAgain()
    if ((await readFeedCount(options, reader)) > base.entries.size) return loadLive(options, reader)
    const open = openFeeds(base)
    const from = fetchedAgain % Math.max(1, open.length)
    fetchedAgain = from + MAX_FETCHED_AGAIN
    return completeLive(options, base, reader, open.slice(from, from + MAX_FETCHED_AGAIN))
  }
}

/** Ids are only ever appended: a node that counts fewer on the same chain hides some. */
function assertNotShrunk(base: Live, loaded: Live): void {
  if (loaded.entries.size < base.entries.size)
    throw new LaggingNodeError('FeedRegistry', loaded.entries.size, base.entries.size)
}
