import { retry } from '../async/retry.ts'
import { createSharedRead } from '../async/sharedRead.ts'
import { DecodeError } from '../bytes/cursor.ts'
import type { RootSource, SourcedRoot } from './chainSource.ts'
import { LaggingNodeError } from './errors.ts'
import { createFollowedFeeds, type SnapshotFeeds } from './followedFeeds.ts'
import type { LiveCacheOptions } from './liveCache.ts'
import { guardReads } from './reads.ts'
import { createReads, type Snapshot } from './snapshot.ts'

export interface HeadOptions extends LiveCacheOptions {
  getRoot: RootSource
  /** Called with each new state root. */
  onRoot: (root: SourcedRoot) => void
  /** Called with what each read found. */
  onSnapshot: (at: Snapshot) => void
}

// Behind a load balancer the next root may come from a node that does not lag.
const LAG_ATTEMPTS = 9

// If a node takes longer than this to return its root, the next request does not wait for the answer.
const OVERLAP = { overlapMs: 10, concurrency: 16 }

interface UndatedSnapshot extends Pick<SnapshotFeeds, 'assertNotBehind'> {
  at: Omit<Snapshot, 'fetchedAt' | 'ageMs' | 'verification'>
}

interface Latest {
  turn: number
  sequence: number
  stateRootHash: string
  undated: Promise<UndatedSnapshot>
  snapshot: Promise<Snapshot>
}

/**
 * Returns a function that reads the newest state root, requested after the call and shared by all waiting callers, within
 * one deadline. The event logs carry the known feeds along.
 */
export function createHead(options: HeadOptions): () => Promise<Snapshot> {
  const { rpc, getRoot, feedRegistry, attestationRegistry, now, wallClock } = options
  const feeds = createFollowedFeeds(options)
  let asked = 0
  let sequence = 0
  let latest: Latest | null = null

  /** Requests overlap, and two may find the same new root: one of them moves there for both. */
  async function askAndMove(signal: AbortSignal): Promise<Snapshot> {
    const turn = ++asked
    feedRegistry.prefetch()
    attestationRegistry.prefetch()
    const root = await getRoot(signal)
    // A later request was answered first: its root is at least as new.
    if (latest && turn < latest.turn) return latest.snapshot
    const isKnown = latest?.stateRootHash === root.hash
    const at = latest && isKnown ? latest.sequence : ++sequence
    const undated = latest && isKnown ? latest.undated : createSnapshot(root, at, signal)
    const snapshot = withRoot(undated, root)
    latest = { turn, sequence: at, stateRootHash: root.hash, undated, snapshot }
    snapshot.then(
      () => {
        options.onRoot(root)
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
    signal: AbortSignal,
  ): Promise<UndatedSnapshot> {
    const source = { ...options, ...(await feeds.moveTo(root, sequence, signal)) }
    const reads = createReads(source)
    const { assertNotBehind, logs } = source
    const at = { ...guardReads((read, options) => read(reads, options)), stateRootHash: root.hash, logs }
    return { at, assertNotBehind }
  }

  /** A newer block may have the same state root; then only the block's data changes. */
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
    options.onSnapshot(at)
    return at
  }

  return createSharedRead(read, OVERLAP)
}
