import { retry } from '../async/retry.ts'
import { createSharedRead } from '../async/sharedRead.ts'
import { DecodeError } from '../bytes/cursor.ts'
import type { Rpc } from '../casper/rpc/rpc.ts'
import { createPastState, type GlobalState, PAST_AFTER_MS } from '../casper/state/globalState.ts'
import type { Registries } from '../registry/registryContract.ts'
import { createRootReader } from '../registry/rootReader.ts'
import type { Absences, RootSource, SourcedRoot } from './chainSource.ts'
import { LaggingNodeError } from './errors.ts'
import type { Feeds, FeedsAt } from './feeds/feeds.ts'
import { guardReads, type Reads } from './reads.ts'
import { createReads, type Snapshot } from './snapshot.ts'

export interface HeadOptions extends Registries {
  rpc: Rpc
  state: GlobalState
  getRoot: RootSource
  feeds: Feeds
  absences: Absences | null
  concurrency: number
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Epoch milliseconds. */
  wallClock: () => number
}

/** The newest state root. */
export interface Head {
  /** Reads the newest state root with a request that starts after the call. Waiting callers share it. */
  read(): Promise<NewestRoot>
  /** Returns the newest root that was read; null before the first. */
  newest(): NewestRoot | null
  /** Returns the last state root; null before the first. */
  root(): SourcedRoot | null
}

/** A state root, and what is read there. */
export interface NewestRoot {
  readonly snapshot: Snapshot
  /** The reads of the snapshot without the check of their arguments. */
  readonly reads: Reads
}

// Behind a load balancer, the next request may reach a node that does not lag.
const LAG_ATTEMPTS = 9

// If a node takes longer than `overlapMs` to return its state root, the next request starts without waiting.
const OVERLAP = { overlapMs: 10, concurrency: 16 }

interface Undated extends Pick<FeedsAt, 'assertNotBehind'> {
  at: Omit<Snapshot, 'fetchedAt' | 'ageMs' | 'verification'>
  reads: Reads
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
  undated: Promise<Undated>
  dated: Promise<NewestRoot>
}

export function createHead(options: HeadOptions): Head {
  const { rpc, state, getRoot, feeds, feedRegistry, attestationRegistry, now, wallClock } = options
  let asked = 0
  let sequence = 0
  let latest: Latest | null = null
  let lastRoot: SourcedRoot | null = null
  let youngest: NewestRoot | null = null

  /** Requests overlap. If two find the same new state root, one of them updates the cache for both. */
  async function askAndMove(signal: AbortSignal): Promise<NewestRoot> {
    const turn = ++asked
    feedRegistry.prefetch()
    attestationRegistry.prefetch()
    const root = await getRoot(signal)
    // A later request was answered first, and its state root is at least as new.
    if (latest && turn < latest.turn) return latest.dated
    const isKnown = latest?.stateRootHash === root.hash
    const at = latest && isKnown ? latest.sequence : ++sequence
    const life = latest && isKnown ? latest.life : { replacedAt: Number.POSITIVE_INFINITY }
    if (latest && !isKnown) latest.life.replacedAt = now()
    const undated = latest && isKnown ? latest.undated : moveTo(root, at, life, signal)
    const dated = withRoot(undated, root)
    latest = { turn, sequence: at, stateRootHash: root.hash, life, undated, dated }
    dated.then(
      () => {
        lastRoot = root
        feeds.confirm(root, at)
      },
      () => {
        if (latest?.dated === dated) latest = null
      },
    )
    return dated
  }

  async function moveTo(
    root: SourcedRoot,
    sequence: number,
    life: Life,
    signal: AbortSignal,
  ): Promise<Undated> {
    const known = await feeds.advanceTo(createRootReader(state, root.hash, sequence, signal), root)
    // Reads of the snapshot may outlast this deadline, and the time for which nodes keep its state.
    const kept = createPastState(state, () => now() - life.replacedAt >= PAST_AFTER_MS)
    const reader = createRootReader(kept, root.hash, sequence)
    const here = feeds.at(reader, known)
    const reads = createReads({ ...options, reader, feeds: here })
    const guarded = guardReads((read, options) => read(reads, options))
    const at = { ...guarded, stateRootHash: root.hash, logs: here.logs }
    return { at, reads, assertNotBehind: here.assertNotBehind }
  }

  /** A newer block may have the same state root. Then only the verification and the time differ. */
  async function withRoot(undated: Promise<Undated>, { verification }: SourcedRoot): Promise<NewestRoot> {
    const [fetchedAt, start] = [wallClock(), now()]
    const { at, reads, assertNotBehind } = await undated
    assertNotBehind()
    return { snapshot: { ...at, fetchedAt, ageMs: () => now() - start, verification }, reads }
  }

  async function read(): Promise<NewestRoot> {
    const newest = await rpc.within(({ signal }) =>
      retry(() => askAndMove(signal), {
        ...rpc.backOff,
        attempts: LAG_ATTEMPTS,
        signal,
        shouldRetry: (error) => error instanceof LaggingNodeError || error instanceof DecodeError,
      }),
    )
    if (youngest === null || newest.snapshot.ageMs() < youngest.snapshot.ageMs()) youngest = newest
    return newest
  }

  return {
    read: createSharedRead(read, OVERLAP),
    newest: () => youngest,
    root: () => lastRoot,
  }
}
