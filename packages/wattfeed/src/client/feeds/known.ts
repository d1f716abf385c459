import { DecodeError } from '@wattfeed/base'
import { createPastState, type GlobalState, type Rpc } from '@wattfeed/casper'
import { readRecounted } from '../../registry/recount.ts'
import { lookUpAgain } from '../../registry/registryContract.ts'
import { createRootReader, type RootReader } from '../../registry/rootReader.ts'
import { ASK_AGAIN_AFTER_MS } from '../absences.ts'
import type { SourcedRoot } from '../chainSource.ts'
import { LaggingNodeError } from '../errors.ts'
import {
  assertGrown,
  type EventLogs,
  eventLogsAt,
  formatLengths,
  isShorter,
  type LogLengths,
  readLengths,
} from './eventLogs.ts'
import {
  type Advance,
  completeFeedList,
  type FeedList,
  type FeedListSource,
  followFeeds,
  incompleteIds,
  loadFeedList,
  readAfter,
  readFeedCount,
} from './feedList.ts'
import { hasLaterShorterLog } from './shorterLog.ts'

/** Counts again, for the reads of a snapshot, which load this file only then. */
export const readAfterRecount = readRecounted

export interface KnownOptions extends FeedListSource {
  rpc: Rpc
  state: GlobalState
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Epoch milliseconds. */
  wallClock: () => number
  /** Called with each new list. */
  onAdvance: (list: FeedList) => void
}

/** Number of reads in a row that must contradict the list before the chain counts as replaced. */
const MIN_CONTRADICTIONS = 5

/** Number of incomplete feeds to read again at a time. */
const MAX_COMPLETED = 8

/**
 * What a client knows of the chain: the newest list of feeds, and the newest log lengths. It alone changes. The steps that read lists
 * are functions of a list and a state root.
 */
export class Known {
  /** The newest list; null before the first. */
  list: FeedList | null = null
  readonly #options: KnownOptions
  /** The newest log lengths, which may be read without the feeds; null if none were read. */
  #lengths: Pick<FeedList, 'lengths' | 'sequence'> | null = null
  /** Identity of the chain: another object after the chain was replaced. */
  #chain = {}
  /** Block time of the newest root; an upper bound for it if nodes are trusted. */
  #time: number
  #contradiction = { found: '', times: 0 }
  #loading: Promise<FeedList> | null = null
  /** When incomplete feeds were last read again, by the monotonic clock, and which of them come next. */
  #completion: { startedAt: number; next: number }
  /** When an event first failed to decode, by log, index and digest (nodes may send events of any size). */
  readonly #doubts = new Map<string, number>()
  readonly #lengthTexts = new WeakMap<RootReader, Promise<string | null>>()

  /** @param root - the first state root */
  constructor(options: KnownOptions, root: SourcedRoot) {
    this.#options = options
    this.#time = this.#timeOf(root)
    this.#completion = { startedAt: options.now(), next: 0 }
  }

  /**
   * Returns the feeds at the reader's state root. Reads every feed once and then follows the event logs.
   *
   * @throws {@link LaggingNodeError} when an event log is shorter than before.
   * @throws {@link DecodeError} when the root contradicts the list.
   */
  at(reader: RootReader): Promise<FeedList> {
    return this.#orLookUpAgain(this.#find(reader))
  }

  /**
   * Updates the list to the reader's state root. Returns null if there is none, the chain was replaced, or there are so many new events
   * that all feeds are read again in the background.
   *
   * A node whose state root contradicts the list is penalized. The chain counts as replaced when several reads in a row
   * contradict the list in the same way.
   *
   * @throws The errors of {@link Known.at}.
   */
  async advance(reader: RootReader, root: SourcedRoot): Promise<FeedList | null> {
    if (this.list === null) return null
    try {
      return await this.#orLookUpAgain(this.#advanceOrLeave(this.list, reader))
    } catch (error) {
      await this.#noteContradiction(root, error)
      throw error
    }
  }

  /**
   * Records that the list is current at this state root. From time to time reads incomplete feeds again in the background,
   * so that a wrong answer does not last until the feed's next attestation.
   *
   * @param list - the feeds at the root, if they are known
   * @throws {@link LaggingNodeError} when a list of a longer log is known, because overlapping reads may finish in any order.
   */
  confirm(root: SourcedRoot, list: FeedList | null): void {
    const newest = this.list
    if (newest && newest.chain === list?.chain) assertGrown(newest.lengths, list.lengths)
    this.#time = this.#timeOf(root)
    if (newest?.stateRootHash === root.hash) this.#complete(newest)
  }

  /** Returns the lengths of the event logs as text. Makes two calls for each reader, or none if `list` has its feeds. */
  logLengths(reader: RootReader, list: FeedList | null): Promise<string | null> {
    const text = this.#lengthTexts.get(reader) ?? this.#readLengthText(reader, list)
    this.#lengthTexts.set(reader, text)
    return text
  }

  /** Returns the event logs at the reader's state root, whose feeds a list has. */
  logs(reader: RootReader, list: FeedList): EventLogs {
    return eventLogsAt({ ...this.#options, doubts: this.#doubts }, reader, list)
  }

  async #find(reader: RootReader): Promise<FeedList> {
    const base = this.list ?? (await this.#loadFirst(reader))
    const found = await this.#advance(base, reader)
    if (found === 'too far') await this.#load(reader, base)
    return typeof found === 'string' ? this.#find(reader) : found
  }

  async #advanceOrLeave(base: FeedList, reader: RootReader): Promise<FeedList | null> {
    const found = await this.#advance(base, reader)
    if (found === 'too far') {
      // Runs in the background, without a deadline.
      const unlimited = createRootReader(this.#options.state, reader.stateRootHash, reader.sequence)
      this.#orLookUpAgain(this.#load(unlimited, base)).catch(() => {})
    }
    return typeof found === 'string' ? null : found
  }

  async #advance(base: FeedList, reader: RootReader): Promise<FeedList | 'too far' | 'replaced'> {
    if (base.stateRootHash === reader.stateRootHash) return base
    // The snapshot is older than the list, and the event log cannot be followed backwards.
    if (base.sequence > reader.sequence) return loadFeedList(this.#options, reader, base)
    const step = await followFeeds(this.#options, base, reader)
    if (step.kind === 'reset') return this.#contradicted(base, reader, step)
    return step.kind === 'too far' ? 'too far' : this.#add(step.list)
  }

  /** Another chain contradicts what was read more than once. A value that was read once may be wrong itself. */
  async #contradicted(
    base: FeedList,
    reader: RootReader,
    { what, found }: Extract<Advance, { kind: 'reset' }>,
  ): Promise<FeedList | 'replaced'> {
    if (!this.#countContradiction(found)) throw new DecodeError(what, 'differs from an earlier read')
    const mayBeWrong = base.lastEvent?.read === null && !this.#options.state.isProven
    const again = mayBeWrong ? await this.#readAgain(base) : null
    const step = again && (await followFeeds(this.#options, again, reader))
    if (step?.kind === 'advanced') return this.#add(step.list)
    this.#replaceChain(base)
    return 'replaced'
  }

  /** Reads a list again at its own state root; null if no node has that root, because it is of another chain or too old. */
  #readAgain(list: FeedList): Promise<FeedList | null> {
    const past = createPastState(this.#options.state, () => true)
    const reader = createRootReader(past, list.stateRootHash, list.sequence)
    return loadFeedList(this.#options, reader, list).catch(() => null)
  }

  /** Penalizes the node. If a later block has a shorter log, counts that towards a replaced chain. */
  async #noteContradiction(root: SourcedRoot, error: unknown): Promise<void> {
    const { list } = this
    const isLagging = error instanceof LaggingNodeError
    if (isLagging && list && (await hasLaterShorterLog(this.#options, list, this.#time, root)))
      if (this.#countContradiction('shorter')) this.#replaceChain(list)
    if (isLagging || error instanceof DecodeError) this.#options.rpc.penalize(root.node, error)
  }

  /**
   * Counts a read that contradicts the list. Returns whether enough did so in the same way: a single one proves nothing,
   * because a node may be wrong.
   */
  #countContradiction(found: string): boolean {
    const times = this.#contradiction.found === found ? this.#contradiction.times + 1 : 1
    this.#contradiction = { found, times: times % MIN_CONTRADICTIONS }
    return times >= MIN_CONTRADICTIONS
  }

  /** Forgets the chain, unless a list newer than the contradicted one was read in the meantime. */
  #replaceChain(contradicted: FeedList): void {
    lookUpAgain(this.#options)
    if (this.list && this.list.sequence > contradicted.sequence) return
    this.list = null
    this.#lengths = null
    this.#chain = {}
  }

  /** Adds a list. It becomes the newest unless a later state root was read in the meantime. */
  #add(list: FeedList): FeedList {
    this.#contradiction = { found: '', times: 0 }
    if (this.#lengths === null || this.#lengths.sequence < list.sequence) this.#lengths = list
    if (this.list === null || this.list.sequence < list.sequence) this.#show(list)
    return list
  }

  #show(list: FeedList): void {
    this.list = list
    this.#options.onAdvance(list)
  }

  /** Shares a pending load. If that fails, loads again, because the node may have pruned its state root. */
  #loadFirst(reader: RootReader): Promise<FeedList> {
    return this.#loading?.catch(() => this.#load(reader)) ?? this.#load(reader)
  }

  /** Loads all feeds. Continues in the background after all callers have given up, because a large registry takes long. */
  #load(reader: RootReader, base: FeedList | null = null): Promise<FeedList> {
    this.#loading ??= this.#loadAfter(base, reader).finally(() => {
      this.#loading = null
    })
    return this.#loading
  }

  async #loadAfter(base: FeedList | null, reader: RootReader): Promise<FeedList> {
    if (base?.chain === this.#chain) return this.#add(await readAfter(this.#options, base, reader))
    this.#completion.startedAt = this.#options.now()
    return this.#add(await loadFeedList(this.#options, reader, { chain: this.#chain }))
  }

  async #readLengthText(reader: RootReader, list: FeedList | null): Promise<string | null> {
    try {
      return formatLengths(list?.lengths ?? (await this.#readLengths(reader)))
    } catch (error) {
      this.#lengthTexts.delete(reader)
      throw error
    }
  }

  /** @throws {@link LaggingNodeError} when a log is shorter than at an earlier root. */
  async #readLengths(reader: RootReader): Promise<LogLengths> {
    const lengths = await this.#orLookUpAgain(readLengths(this.#options, reader))
    const { sequence } = reader
    if (this.#lengths && this.#lengths.sequence > sequence) return lengths
    const seen = this.#lengths?.lengths ?? lengths
    if (isShorter(seen, lengths) && !this.#countContradiction('shorter')) assertGrown(seen, lengths)
    this.#lengths = { lengths, sequence }
    return lengths
  }

  #complete(list: FeedList): void {
    const { now } = this.#options
    if (now() - this.#completion.startedAt < ASK_AGAIN_AFTER_MS) return
    this.#completion.startedAt = now()
    this.#readIncomplete(list)
      .then((found) => {
        if (found !== list && this.list === list) this.#show(found)
      })
      // Retried after the next interval.
      .catch(() => {})
  }

  /** Reads incomplete feeds again, in turn; or all feeds if a node had hidden some. */
  async #readIncomplete(list: FeedList): Promise<FeedList> {
    const reader = createRootReader(this.#options.state, list.stateRootHash, list.sequence)
    if (list.entries.size === 0) lookUpAgain(this.#options)
    if ((await readFeedCount(this.#options, reader)) > list.entries.size)
      return loadFeedList(this.#options, reader, list)
    const open = incompleteIds(list)
    const from = this.#completion.next < open.length ? this.#completion.next : 0
    this.#completion.next = from + MAX_COMPLETED
    return completeFeedList(this.#options, list, reader, open.slice(from, this.#completion.next))
  }

  #timeOf({ verification }: SourcedRoot): number {
    return verification?.blockTimestamp ?? this.#options.wallClock()
  }

  /** Looks the registries up again if the work fails, except for a lagging node. */
  async #orLookUpAgain<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof LaggingNodeError)) lookUpAgain(this.#options)
      throw error
    }
  }
}
