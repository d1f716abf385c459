import { DecodeError } from '../bytes/cursor.ts'
import { limitTime } from '../casper/limitTime.ts'
import type { Node } from '../casper/nodePool.ts'
import { retry } from '../casper/retry.ts'
import type { Rpc } from '../casper/rpc.ts'
import { DeadlineError } from '../casper/rpcErrors.ts'
import { guardReads } from './guardedReads.ts'
import { LaggingNodeError, type Live } from './live.ts'
import { createLiveKeeper, type LiveKeeperOptions } from './liveKeeper.ts'
import { createRootReader, type RootReader } from './rootReader.ts'
import type { RootSource, SourcedRoot } from './rootSource.ts'
import { createSharedRead } from './sharedRead.ts'
import { createReads, type Snapshot } from './snapshot.ts'

export interface HeadOptions extends LiveKeeperOptions {
  rpc: Rpc
  /** Where state roots come from. */
  getRoot: RootSource
  deadlineMs: number
  now: () => number
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
  const { rpc, getRoot, deadlineMs, feedRegistry, attestationRegistry, now } = options
  const keeper = createLiveKeeper(options)
  let asked = 0
  let sequence = 0
  let latest: { turn: number; stateRootHash: string; snapshot: Promise<Snapshot> } | null = null

  /** Questions overlap, and two may find the same new root: one of them moves there for both. */
  async function askAndMove(signal: AbortSignal): Promise<Snapshot> {
    const turn = ++asked
    feedRegistry.prefetch()
    attestationRegistry.prefetch()
    const root = await getRoot(signal)
    // A later question was answered first: its root is at least as new.
    if (latest && turn < latest.turn) return latest.snapshot
    const known = latest?.stateRootHash === root.hash ? latest.snapshot : createSnapshot(root, signal)
    const snapshot = withRoot(known, now(), root)
    latest = { turn, stateRootHash: root.hash, snapshot }
    snapshot.catch(() => {
      if (latest?.snapshot === snapshot) latest = null
    })
    return snapshot
  }

  async function createSnapshot({ hash, node }: SourcedRoot, signal: AbortSignal): Promise<Snapshot> {
    sequence += 1
    // Moving there ends with its time; what is read there later does not.
    const mover = createRootReader(rpc, hash, sequence, signal)
    const known = keeper.newest() && (await keeper.at(mover).catch((error) => throwLagging(error, node)))
    const reader = createRootReader(rpc, hash, sequence)
    const reads = createReads({ ...options, reader, ...createLiveOf(reader, known) })
    return { ...guardReads((read) => read(reads)), stateRootHash: hash, fetchedAt: 0, verification: null }
  }

  function createLiveOf(reader: RootReader, known: Live | null) {
    let live = known
    let finding: Promise<Live> | null = null
    return {
      knownLive: () => live,
      async live() {
        if (live) return live
        finding ??= keeper.at(reader).finally(() => {
          finding = null
        })
        live = await finding
        return live
      },
    }
  }

  function throwLagging(error: unknown, node: Node): never {
    if (error instanceof LaggingNodeError) rpc.passOver(node, error)
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

/** A newer block may have the same state root: then only what is known of the block is new. */
async function withRoot(
  snapshot: Promise<Snapshot>,
  fetchedAt: number,
  { verification }: SourcedRoot,
): Promise<Snapshot> {
  return { ...(await snapshot), fetchedAt, verification }
}
