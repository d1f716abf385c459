import { createSharedRead, DecodeError, retry } from '@wattfeed/base'
import { createPastState, type GlobalState, PAST_AFTER_MS, type Rpc } from '@wattfeed/casper'
import type { Registries } from '../registry/registryContract.ts'
import { createRootReader } from '../registry/rootReader.ts'
import type { Absences } from './absences.ts'
import type { RootSource, SourcedRoot } from './chainSource.ts'
import { LaggingNodeError } from './errors.ts'
import type { Feeds, RootFeeds } from './feeds/feeds.ts'
import type { Reads } from './reads.ts'
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

// Behind a load balancer, the next request may reach a node that does not lag.
const LAG_ATTEMPTS = 9

// If a node takes longer than `overlapMs` to return its state root, the next request starts without waiting.
const OVERLAP = { overlapMs: 10, concurrency: 16 }

/** A state root, which several blocks in a row may have. */
interface Place {
  readonly hash: string
  readonly sequence: number
  /** When a newer root was found, by the monotonic clock; infinite until then. */
  replacedAt: number
}

/** The feeds and the reads at a state root. */
interface Opened {
  feeds: RootFeeds
  reads: Reads
}

/** What a request for the newest state root found. */
interface Found {
  /** Number of the request. */
  turn: number
  place: Place
  opened: Promise<Opened>
  snapshot: Promise<Snapshot>
}

/** The newest state root. */
export interface Head {
  /** Reads the newest state root with a request that starts after the call. Waiting callers share it. */
  read(): Promise<Snapshot>
  /** Returns the newest root that was read; null before the first. */
  newest(): Snapshot | null
  /** Returns the newest root as a node answered it; null before the first. */
  root(): SourcedRoot | null
}

export function createHead(options: HeadOptions): Head {
  const { rpc, feedRegistry, attestationRegistry, getRoot, now, wallClock } = options
  let turns = 0
  let places = 0
  /** Of the newest request that was answered. */
  let latest: Found | null = null
  /** The newest of those that are complete. */
  let newest: { turn: number; root: SourcedRoot; snapshot: Snapshot } | null = null

  /** Requests overlap. If two find the same new state root, one of them updates the known feeds for both. */
  async function find(signal: AbortSignal): Promise<Snapshot> {
    const turn = ++turns
    feedRegistry.prefetch()
    attestationRegistry.prefetch()
    const root = await getRoot(signal)
    // A later request was answered first, and its state root is at least as new.
    if (latest && turn < latest.turn) return latest.snapshot
    const { place, opened } = latest?.place.hash === root.hash ? latest : moveTo(root, signal)
    const snapshot = complete({ turn, place, opened }, root)
    latest = { turn, place, opened, snapshot }
    snapshot.catch(() => {
      if (latest?.snapshot === snapshot) latest = null
    })
    return snapshot
  }

  function moveTo(root: SourcedRoot, signal: AbortSignal): Pick<Found, 'place' | 'opened'> {
    if (latest) latest.place.replacedAt = now()
    const place = { hash: root.hash, sequence: ++places, replacedAt: Number.POSITIVE_INFINITY }
    return { place, opened: open(options, place, root, signal) }
  }

  /** A newer block may have the same state root. Then only the verification and the time differ. */
  async function complete(
    { turn, place, opened }: Omit<Found, 'snapshot'>,
    root: SourcedRoot,
  ): Promise<Snapshot> {
    const [fetchedAt, start] = [wallClock(), now()]
    const { feeds, reads } = await opened
    feeds.confirm(root)
    const { verification } = root
    const ageMs = () => now() - start
    const snapshot = { ...reads, stateRootHash: place.hash, logs: feeds.logs, fetchedAt, ageMs, verification }
    // A later request may be complete already.
    if (newest === null || newest.turn < turn) newest = { turn, root, snapshot }
    return snapshot
  }

  /**
   * Has a deadline of its own, because callers with other deadlines share it. Calls that fail are repeated by `rpc`; here only a root
   * that contradicts what is known is requested again.
   */
  const read = (): Promise<Snapshot> =>
    rpc.within(({ signal }) =>
      retry(() => find(signal), {
        ...rpc.backOff,
        attempts: LAG_ATTEMPTS,
        signal,
        shouldRetry: (error) => error instanceof LaggingNodeError || error instanceof DecodeError,
      }),
    )

  return {
    read: createSharedRead(read, OVERLAP),
    newest: () => newest?.snapshot ?? null,
    root: () => newest?.root ?? null,
  }
}

/** Updates the known feeds to a state root, and creates the reads there. */
async function open(
  options: HeadOptions,
  place: Place,
  root: SourcedRoot,
  signal: AbortSignal,
): Promise<Opened> {
  const { state, now } = options
  const { hash, sequence } = place
  // Reads of the snapshot may outlast this deadline, and the time for which nodes keep its state.
  const kept = createPastState(state, () => now() - place.replacedAt >= PAST_AFTER_MS)
  const reader = createRootReader(kept, hash, sequence)
  const limited = createRootReader(state, hash, sequence, signal)
  const feeds = await options.feeds.at(root, { reader, limited })
  return { feeds, reads: createReads({ ...options, reader, feeds }) }
}
