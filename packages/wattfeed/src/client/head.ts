import { createSharedRead, DecodeError, retry } from '@wattfeed/base'
import { createPastState, type GlobalState, PAST_AFTER_MS, type Rpc } from '@wattfeed/casper'
import type { Registries } from '../registry/registryContract.ts'
import { createRootReader } from '../registry/rootReader.ts'
import type { Absences } from './absences.ts'
import type { RootSource, SourcedRoot } from './chainSource.ts'
import { LaggingNodeError } from './errors.ts'
import type { Feeds, FeedsAt } from './feeds/feeds.ts'
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
  read(): Promise<Snapshot>
  /** Returns the newest root that was read; null before the first. */
  newest(): Snapshot | null
  /** Returns the last state root; null before the first. */
  root(): SourcedRoot | null
}

// Behind a load balancer, the next request may reach a node that does not lag.
const LAG_ATTEMPTS = 9

// If a node takes longer than `overlapMs` to return its state root, the next request starts without waiting.
const OVERLAP = { overlapMs: 10, concurrency: 16 }

/** A state root, which several blocks in a row may have. */
interface Place {
  readonly stateRootHash: string
  readonly sequence: number
  /** When a newer root was found, by the monotonic clock; infinite until then. */
  replacedAt: number
}

/** The part of a snapshot that is the same for every block of its state root. */
interface Undated extends Pick<FeedsAt, 'assertNotBehind'> {
  at: Omit<Snapshot, 'fetchedAt' | 'ageMs' | 'verification'>
}

interface Latest {
  /** Number of the request that found it. */
  turn: number
  place: Place
  undated: Promise<Undated>
  dated: Promise<Snapshot>
}

export function createHead(options: HeadOptions): Head {
  const { rpc, state, getRoot, feeds, feedRegistry, attestationRegistry, now, wallClock } = options
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
    if (latest && turn < latest.turn) return latest.dated
    const { place, undated } =
      latest?.place.stateRootHash === root.hash ? latest : moveTo(root, latest, signal)
    const dated = withRoot(undated, root)
    latest = { turn, place, undated, dated }
    dated.then(
      () => {
        lastRoot = root
        feeds.confirm(root, place.sequence)
      },
      () => {
        if (latest?.dated === dated) latest = null
      },
    )
    return dated
  }

  function moveTo(
    root: SourcedRoot,
    replaced: Latest | null,
    signal: AbortSignal,
  ): Pick<Latest, 'place' | 'undated'> {
    if (replaced) replaced.place.replacedAt = now()
    sequence += 1
    const place = { stateRootHash: root.hash, sequence, replacedAt: Number.POSITIVE_INFINITY }
    return { place, undated: open(place, root, signal) }
  }

  /** Updates the known feeds to a state root, and creates the reads there. */
  async function open(place: Place, root: SourcedRoot, signal: AbortSignal): Promise<Undated> {
    const { stateRootHash, sequence } = place
    const known = await feeds.advanceTo(createRootReader(state, stateRootHash, sequence, signal), root)
    // Reads of the snapshot may outlast this deadline, and the time for which nodes keep its state.
    const kept = createPastState(state, () => now() - place.replacedAt >= PAST_AFTER_MS)
    const reader = createRootReader(kept, stateRootHash, sequence)
    const here = feeds.at(reader, known)
    const reads = createReads({ ...options, reader, feeds: here })
    return { at: { ...reads, stateRootHash, logs: here.logs }, assertNotBehind: here.assertNotBehind }
  }

  /** A newer block may have the same state root. Then only the verification and the time differ. */
  async function withRoot(undated: Promise<Undated>, { verification }: SourcedRoot): Promise<Snapshot> {
    const [fetchedAt, start] = [wallClock(), now()]
    const { at, assertNotBehind } = await undated
    assertNotBehind()
    return { ...at, fetchedAt, ageMs: () => now() - start, verification }
  }

  async function read(): Promise<Snapshot> {
    const newest = await rpc.within(({ signal }) =>
      retry(() => askAndMove(signal), {
        ...rpc.backOff,
        attempts: LAG_ATTEMPTS,
        signal,
        shouldRetry: (error) => error instanceof LaggingNodeError || error instanceof DecodeError,
      }),
    )
    if (youngest === null || newest.ageMs() < youngest.ageMs()) youngest = newest
    return newest
  }

  return {
    read: createSharedRead(read, OVERLAP),
    newest: () => youngest,
    root: () => lastRoot,
  }
}
