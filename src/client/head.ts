import { retry } from '../async/retry.ts'
import { createSharedRead } from '../async/sharedRead.ts'
import { DecodeError } from '../bytes/cursor.ts'
import { createPastState, PAST_AFTER_MS } from '../casper/state/pastState.ts'
import { createRootReader } from '../registry/rootReader.ts'
import type { Absences, RootSource, SourcedRoot } from './chainSource.ts'
import { LaggingNodeError } from './errors.ts'
import type { FeedList } from './feeds/feedList.ts'
import type { FeedListCacheOptions } from './feeds/feedListCache.ts'
import { createLazyFeedListCache } from './feeds/lazyFeedListCache.ts'
import { createSnapshotFeeds, type SnapshotFeeds } from './feeds/snapshotFeeds.ts'
import { guardReads } from './reads.ts'
import { createReads, type Snapshot } from './snapshot.ts'

export interface HeadOptions extends FeedListCacheOptions {
  getRoot: RootSource
  absences: Absences | null
  /** Called after each read of the newest state root. */
  onRoot: () => void
}

/** The newest state root. */
export interface Head {
  /** Reads the newest state root with a request that starts after the call. Waiting callers share it. */
  read(): Promise<Snapshot>
  /** Returns the newest snapshot; null before the first. */
  newest(): Snapshot | null
  /** Returns the last state root; null before the first. */
  root(): SourcedRoot | null
  /** Returns the newest cached feeds; null before the first list. */
  feeds(): FeedList | null
}

// Behind a load balancer, the next request may reach a node that does not lag.
const LAG_ATTEMPTS = 9

// If a node takes longer than `overlapMs` to return its state root, the next request starts without waiting.
const OVERLAP = { overlapMs: 10, concurrency: 16 }

interface UndatedSnapshot extends Pick<SnapshotFeeds, 'assertNotBehind'> {
  at: Omit<Snapshot, 'fetchedAt' | 'ageMs' | 'verification'>
}

/** How long a state root was the newest. */
interface Life {
  /** When a newer one was found, by the monotonic clock; infinite until then. */
  replacedAt: number
}

interface Latest {
  turn: number
  sequence: number
  stateRootHash: string
  life: Life
  undated: Promise<UndatedSnapshot>
  snapshot: Promise<Snapshot>
}

export function createHead(options: HeadOptions): Head {
  const { rpc, state, getRoot, feedRegistry, attestationRegistry, now, wallClock } = options
  const feeds = createLazyFeedListCache(options)
  let asked = 0
  let sequence = 0
  let latest: Latest | null = null
  let lastRoot: SourcedRoot | null = null
  let youngest: Snapshot | null = null

  /** Requests overlap. If two find the same new state root, one of them updates the cache for both. */
  async function askAndMove(signal: AbortSignal): Promise<Snapshot> {
    const turn = ++asked
    feedRegistry.prefetch()
    attestationRegistry.prefetch()
    const root = await getRoot(signal)
    // A later request was answered first, and its state root is at least as new.
    if (latest && turn < latest.turn) return latest.snapshot
    const isKnown = latest?.stateRootHash === root.hash
    const at = latest && isKnown ? latest.sequence : ++sequence
    const life = latest && isKnown ? latest.life : { replacedAt: Number.POSITIVE_INFINITY }
    if (latest && !isKnown) latest.life.replacedAt = now()
    const undated = latest && isKnown ? latest.undated : createSnapshot(root, at, life, signal)
    const snapshot = withRoot(undated, root)
    latest = { turn, sequence: at, stateRootHash: root.hash, life, undated, snapshot }
    snapshot.then(
      () => {
        lastRoot = root
        options.onRoot()
        feeds.confirm(root, at)
      },
      () => {
        if (latest?.snapshot === snapshot) latest = null
      },
    )
    return snapshot
  }

  async function createSnapshot(
    root: SourcedRoot,
    sequence: number,
    life: Life,
    signal: AbortSignal,
  ): Promise<UndatedSnapshot> {
    const known = await feeds.advanceTo(createRootReader(state, root.hash, sequence, signal), root)
    // Reads of the snapshot may outlast this deadline, and the time for which nodes keep its state.
    const kept = createPastState(state, () => now() - life.replacedAt >= PAST_AFTER_MS)
    const reader = createRootReader(kept, root.hash, sequence)
    const { assertNotBehind, logs, ...all } = createSnapshotFeeds(feeds, reader, known)
    const reads = createReads({ ...options, reader, ...all })
    const at = { ...guardReads((read, options) => read(reads, options)), stateRootHash: root.hash, logs }
    return { at, assertNotBehind }
  }

  /** A newer block may have the same state root. Then only the verification and the time differ. */
  async function withRoot(
    undated: Promise<UndatedSnapshot>,
    { verification }: SourcedRoot,
  ): Promise<Snapshot> {
    const [fetchedAt, start] = [wallClock(), now()]
    const { at, assertNotBehind } = await undated
    assertNotBehind()
    return { ...at, fetchedAt, ageMs: () => now() - start, verification }
  }

  async function read(): Promise<Snapshot> {
    const at = await rpc.within(({ signal }) =>
      retry(() => askAndMove(signal), {
        ...rpc.backOff,
        attempts: LAG_ATTEMPTS,
        signal,
        shouldRetry: (error) => error instanceof LaggingNodeError || error instanceof DecodeError,
      }),
    )
    if (youngest === null || at.ageMs() < youngest.ageMs()) youngest = at
    return at
  }

  return {
    read: createSharedRead(read, OVERLAP),
    newest: () => youngest,
    root: () => lastRoot,
    feeds: feeds.newest,
  }
}
