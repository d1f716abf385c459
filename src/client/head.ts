import { limitTime } from '../async/limitTime.ts'
import { retry } from '../async/retry.ts'
import { createSharedRead } from '../async/sharedRead.ts'
import { DecodeError } from '../bytes/cursor.ts'
import { MAX_AHEAD_MS } from '../casper/rpc/newestBlock.ts'
import type { Node } from '../casper/rpc/nodePool.ts'
import { DeadlineError } from '../casper/rpc/rpcErrors.ts'
import { guardReads } from './guardedReads.ts'
import { LaggingNodeError } from './laggingNode.ts'
import type { Live } from './live.ts'
import type { LiveKeeper, LiveKeeperOptions } from './liveKeeper.ts'
import { createRootReader, type RootReader } from './rootReader.ts'
import type { RootSource, SourcedRoot } from './rootSource.ts'
import { ASK_AGAIN_AFTER_MS, createReads, type Snapshot } from './snapshot.ts'

export interface HeadOptions extends LiveKeeperOptions {
  /** Where state roots come from. */
  getRoot: RootSource
  deadlineMs: number
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Epoch milliseconds. */
  wallClock: () => number
  /** The time of a node's newest block in epoch milliseconds, as it tells; null where it tells none. */
  getBlockTime: (node: Node) => Promise<number | null>
  /** Told of each state root that a node has named. */
  onRoot: (root: SourcedRoot) => void
}

// Behind a load balancer the next root may come from a node that does not lag.
const LAG_RETRIES = { attempts: 9, shortestPauseMs: 20, longestPauseMs: 400 } as const

// Where a node takes longer than this to name its root, the next question does not wait for the answer.
const OVERLAP = { overlapMs: 10, most: 16 }

/**
 * Follows the newest state root. Each call of the result waits for a root that was asked for after the call,
 * shared with all who wait; what is known of every feed is carried along by the event logs.
 */
export function createHead(options: HeadOptions): () => Promise<Snapshot> {
  const { rpc, getRoot, deadlineMs, feedRegistry, attestationRegistry, now, wallClock } = options
  const keeper = createLazyKeeper(options)
  let askedAgainAt = now()
  // What is known holds at this block time; where blocks are believed, at no later one than this.
  let knownTime = Number.NEGATIVE_INFINITY
  let asked = 0
  let sequence = 0
  let latest: { turn: number; sequence: number; stateRootHash: string; snapshot: Promise<Snapshot> } | null =
    null

  /** Questions overlap, and two may find the same new root: one of them moves there for both. */
  async function askAndMove(signal: AbortSignal): Promise<Snapshot> {
    const turn = ++asked
    feedRegistry.prefetch()
    attestationRegistry.prefetch()
    const root = await getRoot(signal)
    // A later question was answered first: its root is at least as new.
    if (latest && turn < latest.turn) return latest.snapshot
    const isKnown = latest?.stateRootHash === root.hash
    const at = latest && isKnown ? latest.sequence : ++sequence
    const known = latest && isKnown ? latest.snapshot : createSnapshot(root, at, signal)
    const snapshot = withRoot(known, root, options)
    latest = { turn, sequence: at, stateRootHash: root.hash, snapshot }
    snapshot.then(
      () => {
        knownTime = root.verification?.blockTimestamp ?? wallClock()
        afterwards(root, at)
      },
      () => {
        if (latest?.snapshot === snapshot) latest = null
      },
    )
    return snapshot
  }

  /** Nobody waits for this. */
  function afterwards(root: SourcedRoot, at: number): void {
    options.onRoot(root)
    if (now() - askedAgainAt < ASK_AGAIN_AFTER_MS) return
    askedAgainAt = now()
    // What fails now is asked for again the next time.
    keeper
      .opened()
      ?.askAgain(root.hash, at)
      .catch(() => {})
  }

  async function createSnapshot(
    root: SourcedRoot,
    at: number,
    signal: AbortSignal,
  ): Promise<UndatedSnapshot> {
    // Moving there ends with its time; what is read there later does not.
    const mover = createRootReader(rpc, root.hash, at, signal)
    const known = await keeper
      .opened()
      ?.carry(mover)
      .catch((error) => throwLagging(error, root))
    const reader = createRootReader(rpc, root.hash, at)
    const reads = createReads({ ...options, reader, ...createLiveOf(reader, known ?? null) })
    return { ...guardReads((read) => read(reads)), stateRootHash: root.hash }
  }

  function createLiveOf(reader: RootReader, known: Live | null) {
    let live = known
    let finding: Promise<Live> | null = null
    function knownLive(): Live | null {
      const newest = keeper.opened()?.newest()
      // It may have been completed since.
      if (newest?.stateRootHash === reader.stateRootHash) live = newest
      return live
    }
    async function find(): Promise<Live> {
      live = await (await keeper.open()).at(reader)
      return live
    }
    return {
      knownLive,
      async live() {
        const known = knownLive()
        if (known) return known
        finding ??= find().finally(() => {
          finding = null
        })
        return finding
      },
    }
  }

  /** A shorter log at a later block time is not of a node that lags: what is known is a lie, or of another chain. */
  async function throwLagging(error: unknown, { node, verification }: SourcedRoot): Promise<never> {
    if (!(error instanceof LaggingNodeError)) throw error
    const time = verification?.blockTimestamp ?? (await options.getBlockTime(node).catch(() => null))
    const isLater = time !== null && time > knownTime && time <= wallClock() + MAX_AHEAD_MS
    if (isLater) keeper.opened()?.forget()
    else rpc.passOver(node, error)
    throw error
  }

  return createSharedRead(() => {
    const error = () => new DeadlineError(deadlineMs, rpc.trouble())
    return limitTime({ timeoutMs: deadlineMs, error }, (signal) =>
      retry(() => askAndMove(signal), {
        ...LAG_RETRIES,
        signal,
        shouldRetry: (error) => error instanceof LaggingNodeError || error instanceof DecodeError,
      }),
    )
  }, OVERLAP)
}

/** The registries are followed once a list was asked for: what that takes is loaded then. */
function createLazyKeeper(options: LiveKeeperOptions) {
  let keeper: LiveKeeper | null = null
  return {
    opened: () => keeper,
    async open(): Promise<LiveKeeper> {
      const { createLiveKeeper } = await import('./liveKeeper.ts')
      keeper ??= createLiveKeeper(options)
      return keeper
    },
  }
}

type UndatedSnapshot = Omit<Snapshot, 'fetchedAt' | 'ageMs' | 'verification'>

/** A newer block may have the same state root: then only what is known of the block is new. */
async function withRoot(
  snapshot: Promise<UndatedSnapshot>,
  { verification }: SourcedRoot,
  { now, wallClock }: Pick<HeadOptions, 'now' | 'wallClock'>,
): Promise<Snapshot> {
  const [fetchedAt, start] = [wallClock(), now()]
  return { ...(await snapshot), fetchedAt, ageMs: () => now() - start, verification }
}
