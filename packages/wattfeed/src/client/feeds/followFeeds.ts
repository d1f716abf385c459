import { DecodeError } from '@wattfeed/base'
import { createPastState, type GlobalState, isUndecodable, type Rpc } from '@wattfeed/casper'
import { readRecounted } from '../../registry/recount.ts'
import { lookUpAgain } from '../../registry/registryContract.ts'
import { createRootReader, type RootReader } from '../../registry/rootReader.ts'
import { ASK_AGAIN_AFTER_MS } from '../absences.ts'
import type { SourcedRoot } from '../chainSource.ts'
import { LaggingNodeError } from '../errors.ts'
import {
  assertGrown,
  createEventLogs,
  type EventLogs,
  formatLengths,
  type LogLengths,
  readLengths,
} from './eventLogs.ts'
import {
  type Advance,
  advanceFeedList,
  completeFeedList,
  type FeedList,
  type FeedListSource,
  incompleteIds,
  loadFeedList,
  readFeedCount,
} from './feedList.ts'
import { hasLaterShorterLog } from './shorterLog.ts'

/** Counts again, for the reads of a snapshot, which load this file only then. */
export const readAfterRecount = readRecounted

/** The code of {@link Feeds} that is loaded on demand. */
export interface FollowedFeeds {
  /** Returns the newest list; null before the first. */
  newest(): FeedList | null
  at(reader: RootReader): Promise<FeedList>
  /**
   * Checks that no newer list was returned than that of a snapshot, because overlapping reads may finish in any order.
   *
   * @throws {@link LaggingNodeError} when an event log of the snapshot is shorter.
   */
  assertNotBehind(list: FeedList): void
  /** Returns the lengths of the event logs as text. Makes two calls for each reader, or none if `known` is its list. */
  logLengths(reader: RootReader, known: FeedList | null): Promise<string | null>
  logs(reader: RootReader, list: FeedList): EventLogs
  /**
   * Updates the newest list to the reader's state root. Returns null if there is none, the chain was replaced, or there are
   * so many new events that all feeds are read again in the background.
   *
   * A node whose state root contradicts the list is penalized. The chain counts as replaced when several reads in a row
   * contradict the list in the same way.
   *
   * @throws {@link LaggingNodeError} when an event log is shorter than before.
   * @throws {@link DecodeError} when the log has another event in place of a known one.
   */
  advanceTo(reader: RootReader, root: SourcedRoot): Promise<FeedList | null>
  /**
   * Records that the list is current at this state root. From time to time reads incomplete feeds again in the background,
   * so that a wrong answer does not last until the feed's next attestation.
   */
  confirm(root: SourcedRoot, sequence: number): void
}

export interface FollowOptions extends FeedListSource {
  rpc: Rpc
  state: GlobalState
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Epoch milliseconds. */
  wallClock: () => number
  /** Called with each new list. */
  onAdvance: (list: FeedList) => void
}

/** Reads every feed once and then follows the event logs. */
export function followFeeds(options: FollowOptions): FollowedFeeds {
  const { rpc, state, wallClock } = options
  const chain = createKnownChain(options)
  const eventLogs = createEventLogs(options, options.now)
  const completion = createCompletion(options, chain)
  const loader = createLoader(options, chain, completion.postpone)
  // Block time of the cached feeds; an upper bound for it if nodes are trusted.
  let knownTime = Number.NEGATIVE_INFINITY

  async function find(reader: RootReader): Promise<FeedList> {
    const base = chain.newest() ?? (await loader.first(reader))
    const advanced = await advance(base, reader)
    if (advanced === 'too far') await loader.load(reader, base)
    return typeof advanced === 'string' ? find(reader) : advanced
  }

  /** Drops the cached feeds if the chain was replaced. */
  async function advance(base: FeedList, reader: RootReader): Promise<FeedList | 'too far' | 'replaced'> {
    if (base.stateRootHash === reader.stateRootHash) return base
    // The snapshot is older than the cache, and the event log cannot be followed backwards.
    if (base.sequence > reader.sequence) return loadFeedList(options, reader, base.chain)
    const step = await advanceOrLoad(options, base, reader)
    if (step.kind === 'reset') return contradicted(base, reader, step)
    return step.kind === 'too far' ? 'too far' : keep(step)
  }

  function keep({ list, events }: Extract<Advance, { kind: 'advanced' }>): FeedList {
    eventLogs.remember(list, events)
    chain.add(list)
    return list
  }

  /** Another chain contradicts what was read more than once. A value that was read once may be wrong itself. */
  async function contradicted(
    base: FeedList,
    reader: RootReader,
    { what, found }: Extract<Advance, { kind: 'reset' }>,
  ): Promise<FeedList | 'replaced'> {
    if (!chain.countContradiction(found)) throw new DecodeError(what, 'differs from an earlier read')
    const mayBeWrong = base.lastEvent?.read === null && !state.isProven
    const again = mayBeWrong ? await reload(options, base) : null
    const step = again && (await advanceOrLoad(options, again, reader))
    if (step?.kind === 'advanced') return keep(step)
    chain.replace(base)
    return 'replaced'
  }

  async function advanceKnown(base: FeedList, reader: RootReader): Promise<FeedList | null> {
    const advanced = await advance(base, reader)
    if (typeof advanced !== 'string') return advanced
    if (advanced === 'too far') {
      // Runs in the background, without a deadline.
      const unlimited = createRootReader(state, reader.stateRootHash, reader.sequence)
      orLookUpAgain(options, loader.load(unlimited, base)).catch(() => {})
    }
    return null
  }

  /** Penalizes the node. If a later block has a shorter log, counts that towards a replaced chain. */
  async function failedAt(root: SourcedRoot, error: unknown): Promise<never> {
    const base = chain.newest()
    if (error instanceof LaggingNodeError && base !== null)
      if ((await hasLaterShorterLog(options, base, knownTime, root)) && chain.countContradiction('shorter'))
        chain.replace(base)
    if (error instanceof LaggingNodeError || error instanceof DecodeError) rpc.penalize(root.node, error)
    throw error
  }

  return {
    newest: chain.newest,
    at: (reader) => orLookUpAgain(options, find(reader)),
    assertNotBehind(list) {
      const newest = chain.newest()
      if (newest?.chain === list.chain) assertGrown(newest.lengths, list.lengths)
    },
    logLengths: createLogLengths(chain, (reader) => orLookUpAgain(options, readLengths(options, reader))),
    logs: eventLogs.at,
    async advanceTo(reader, root) {
      const base = chain.newest()
      return (
        base && orLookUpAgain(options, advanceKnown(base, reader)).catch((error) => failedAt(root, error))
      )
    },
    confirm(root, sequence) {
      knownTime = root.verification?.blockTimestamp ?? wallClock()
      const newest = chain.newest()
      if (newest?.stateRootHash === root.hash) completion.continue(newest, sequence)
    },
  }
}

/** Number of reads in a row that must contradict the cache before the chain counts as replaced. */
const MIN_CONTRADICTIONS = 5

/** Creates the cached state of a chain: its newest feeds and log lengths, until the chain is replaced. */
function createKnownChain(options: FollowOptions) {
  let identity = {}
  let newest: FeedList | null = null
  let lengths: Pick<FeedList, 'lengths' | 'sequence'> | null = null
  let contradiction = { found: '', times: 0 }

  /**
   * Counts a read that contradicts the cache. Returns whether enough did so in the same way: a single one proves nothing,
   * because a node may be wrong.
   */
  function countContradiction(found: string): boolean {
    const times = contradiction.found === found ? contradiction.times + 1 : 1
    contradiction = { found, times: times % MIN_CONTRADICTIONS }
    return times >= MIN_CONTRADICTIONS
  }

  function show(list: FeedList): void {
    newest = list
    options.onAdvance(list)
  }

  return {
    /** Returns the identity of the chain: another object after the chain was replaced. */
    identity: () => identity,
    newest: () => newest,
    /** Returns the newest log lengths; null if none were read. */
    lengths: () => lengths,
    /** Stores log lengths that were read without the feeds. */
    setLengths(found: NonNullable<typeof lengths>): void {
      lengths = found
    },
    countContradiction,
    show,
    /** Adds a list. It becomes the newest unless a later state root was read in the meantime. */
    add(list: FeedList): void {
      contradiction = { found: '', times: 0 }
      if (lengths === null || lengths.sequence < list.sequence) lengths = list
      if (newest === null || newest.sequence < list.sequence) show(list)
    },
    /** Drops the cache, unless a list newer than the contradicted one was read in the meantime. */
    replace(list: FeedList): void {
      lookUpAgain(options)
      if (newest !== null && newest.sequence > list.sequence) return
      newest = null
      lengths = null
      identity = {}
    },
  }
}

type KnownChain = ReturnType<typeof createKnownChain>

/** Creates a function that returns the log lengths as text. It makes two calls for each reader, or none if `known` is its list. */
function createLogLengths(
  chain: KnownChain,
  readLengths: (reader: RootReader) => Promise<LogLengths>,
): (reader: RootReader, known: FeedList | null) => Promise<string | null> {
  const texts = new WeakMap<RootReader, Promise<string | null>>()

  /** @throws {@link LaggingNodeError} when a log is shorter than at an earlier root. */
  async function readNewLengths(reader: RootReader): Promise<LogLengths> {
    const lengths = await readLengths(reader)
    const seen = chain.lengths()
    if (seen !== null && seen.sequence > reader.sequence) return lengths
    if (seen !== null && isShorter(seen.lengths, lengths) && !chain.countContradiction('shorter'))
      assertGrown(seen.lengths, lengths)
    chain.setLengths({ lengths, sequence: reader.sequence })
    return lengths
  }

  async function read(reader: RootReader, known: FeedList | null): Promise<string | null> {
    try {
      return formatLengths(known?.lengths ?? (await readNewLengths(reader)))
    } catch (error) {
      texts.delete(reader)
      throw error
    }
  }

  return (reader, known) => {
    const text = texts.get(reader) ?? read(reader, known)
    texts.set(reader, text)
    return text
  }
}

const isShorter = (seen: LogLengths, lengths: LogLengths): boolean =>
  (lengths.feed ?? 0) < (seen.feed ?? 0) || (lengths.attestation ?? 0) < (seen.attestation ?? 0)

/** Creates a loader of all feeds that waiting callers share. Calls `onFirst` when the cache is empty. */
function createLoader(options: FollowOptions, chain: KnownChain, onFirst: () => void) {
  let loading: Promise<FeedList> | null = null

  async function loadAfter(base: FeedList | null, reader: RootReader): Promise<FeedList> {
    if (base === null) onFirst()
    const loaded = await loadFeedList(options, reader, chain.identity())
    if (base) assertNotShrunk(base, loaded)
    chain.add(loaded)
    return loaded
  }

  /** Continues in the background after all callers have given up, because a large registry takes long. */
  function load(reader: RootReader, base: FeedList | null = null): Promise<FeedList> {
    loading ??= loadAfter(base, reader).finally(() => {
      loading = null
    })
    return loading
  }

  return {
    load,
    /** Shares a pending load. If that fails, loads again, because the node may have pruned its state root. */
    first: (reader: RootReader): Promise<FeedList> =>
      loading ? loading.catch(() => load(reader)) : load(reader),
  }
}

/** Follows the event logs. Falls back to reading every feed, so that an undecodable event does not block the list. */
function advanceOrLoad(source: FeedListSource, base: FeedList, reader: RootReader): Promise<Advance> {
  return advanceFeedList(source, base, reader).catch(async (error) => {
    if (!isUndecodable(error)) throw error
    const list = await loadFeedList(source, reader, base.chain)
    assertNotShrunk(base, list)
    return { kind: 'advanced', list, events: [] }
  })
}

/** Reads a list again at its own state root; null if no node has that root, because it is of another chain or too old. */
function reload(
  options: FollowOptions,
  { stateRootHash, sequence, chain }: FeedList,
): Promise<FeedList | null> {
  const past = createPastState(options.state, () => true)
  return loadFeedList(options, createRootReader(past, stateRootHash, sequence), chain).catch(() => null)
}

/** Looks the registries up again if the work fails, except for a lagging node. */
async function orLookUpAgain<T>(source: FeedListSource, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof LaggingNodeError)) lookUpAgain(source)
    throw error
  }
}

/** Number of incomplete feeds to read again at a time. */
const MAX_COMPLETED = 8

/** Reads incomplete feeds again from time to time, in turn; or all feeds if a node had hidden some. */
function createCompletion(options: FollowOptions, chain: KnownChain) {
  const { state, now } = options
  let continuedAt = now()
  let next = 0

  async function readSome(base: FeedList, reader: RootReader): Promise<FeedList> {
    if (base.entries.size === 0) lookUpAgain(options)
    if ((await readFeedCount(options, reader)) > base.entries.size)
      return loadFeedList(options, reader, base.chain)
    const open = incompleteIds(base)
    const from = next < open.length ? next : 0
    next = from + MAX_COMPLETED
    return completeFeedList(options, base, reader, open.slice(from, next))
  }

  async function complete(base: FeedList, sequence: number): Promise<void> {
    const found = await readSome(base, createRootReader(state, base.stateRootHash, sequence))
    if (found !== base && chain.newest() === base) chain.show(found)
  }

  function postpone(): void {
    continuedAt = now()
  }

  return {
    postpone,
    continue(base: FeedList, sequence: number): void {
      if (now() - continuedAt < ASK_AGAIN_AFTER_MS) return
      postpone()
      // Retried after the next interval.
      complete(base, sequence).catch(() => {})
    },
  }
}

/** Ids are only ever appended, so a node that counts fewer on the same chain lags or hides some. */
function assertNotShrunk(base: FeedList, loaded: FeedList): void {
  assertGrown(base.lengths, loaded.lengths)
  if (loaded.entries.size < base.entries.size)
    throw new LaggingNodeError('FeedRegistry', loaded.entries.size, base.entries.size)
}
