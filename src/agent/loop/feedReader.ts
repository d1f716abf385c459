import { readFileSync } from 'node:fs'
import pLimit from 'p-limit'
import { isRecord } from '../../casper/types/isRecord.ts'
import type { Client } from '../../client/createClient.ts'
import type { Snapshot } from '../../client/snapshot.ts'
import { WattfeedError } from '../../errors.ts'
import type { Attestation } from '../../registry/attestation.ts'
import type { Feed } from '../../registry/feed.ts'
import { parseJson } from '../../runtime/parseJson.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'

/** A feed on chain, at one state root. */
export interface FeedState {
  feedId: string
  /** Null if it is not registered. */
  feed: Feed | null
  /** Null if there is no value yet. */
  latest: Attestation | null
  /** Who may attest to it, as `account-hash-…` or `hash-…`; null if it is not registered. */
  claimant: string | null
}

/** A node shows an older value than was seen before: its answer must not be used. */
export class LaggingValueError extends WattfeedError {
  static override readonly name = 'LaggingValueError'
  readonly code = 'lagging_value'
  readonly retryable = true

  constructor(
    readonly feedId: string,
    /** Block time of the newest value seen, in epoch milliseconds. */
    readonly seenAt: number,
  ) {
    super(
      `the node lags behind: it does not know the value of ${feedId} of ${new Date(seenAt).toISOString()} yet; it is asked again later`,
    )
  }
}

/** Reads feeds, and remembers the time of each newest value. */
export interface FeedReader {
  /** Reads a feed. @throws {LaggingValueError} and what the client throws. */
  read(feedId: string): Promise<FeedState>
  /** Records that a value is on chain: from now on a node without it is lagging. */
  saw(feedId: string, value: Pick<Attestation, 'timestamp'>): void
}

/** Block times of each feed's newest value, in epoch milliseconds by feed id. */
export type SeenTimes = Map<string, number>

/**
 * Reads the times that {@link saveSeenTimes} kept; none from a file that is missing or broken. After a restart, the first
 * node that is asked may lag behind what was attested just before.
 */
export function loadSeenTimes(path: string): SeenTimes {
  try {
    const stored = parseJson(readFileSync(path, 'utf8'))
    const entries = Object.entries(isRecord(stored) ? stored : {})
    return new Map(entries.flatMap(([feedId, time]) => (typeof time === 'number' ? [[feedId, time]] : [])))
  } catch {
    return new Map()
  }
}

// Two that write at once would take each other's temporary file.
const oneAtATime = pLimit(1)

/** Keeps times beside those that another process has kept there. @throws the system's error */
export const saveSeenTimes = (path: string, times: SeenTimes): Promise<void> =>
  oneAtATime(() => saveAlone(path, times))

async function saveAlone(path: string, times: SeenTimes): Promise<void> {
  const all = loadSeenTimes(path)
  for (const [feedId, time] of times) all.set(feedId, Math.max(time, all.get(feedId) ?? 0))
  await writeAtomically(path, `${JSON.stringify(Object.fromEntries(all))}\n`)
}

/** A block, as far as it tells a lagging node from another chain. */
export interface NewestBlock {
  /** 64 hex digits; after the block. */
  readonly stateRootHash: string
  /** Epoch milliseconds. */
  readonly timestamp: number
}

/**
 * Creates a reader. Behind a load balancer the next node may lag behind the last one. A node that has a later block than
 * a value's does not lag: without the value it is on another chain, such as a development chain that was started anew.
 *
 * @param getNewestBlock asked only where a value is not there
 * @param newest what was seen before, and from now on
 * @param onRead called with every state that was read and does not lag
 */
export function createFeedReader(
  client: Pick<Client, 'withSnapshot'>,
  getNewestBlock: () => Promise<NewestBlock>,
  newest: SeenTimes = new Map(),
  onRead: (state: FeedState) => void = () => {},
): FeedReader {
  function saw(feedId: string, { timestamp }: Pick<Attestation, 'timestamp'>): void {
    newest.set(feedId, Math.max(timestamp, newest.get(feedId) ?? 0))
  }

  /** Whether the state that was read is that of a later block; false if no node tells. */
  async function isOtherChain({ stateRootHash }: Snapshot, seenAt: number): Promise<boolean> {
    try {
      const block = await getNewestBlock()
      return block.stateRootHash === stateRootHash && block.timestamp > seenAt
    } catch (error) {
      if (error instanceof WattfeedError) return false
      throw error
    }
  }

  async function readAt(at: Snapshot, feedId: string): Promise<FeedState> {
    const [feed, latest, claimant] = await Promise.all([
      at.getFeed(feedId),
      at.getValue(feedId),
      at.getClaimant(feedId),
    ])
    const seenAt = newest.get(feedId)
    if (seenAt !== undefined && (latest?.timestamp ?? 0) < seenAt) {
      if (!(await isOtherChain(at, seenAt))) throw new LaggingValueError(feedId, seenAt)
      newest.delete(feedId)
    }
    if (latest) saw(feedId, latest)
    const state = { feedId, feed, latest, claimant }
    onRead(state)
    return state
  }

  return {
    saw,
    read: (feedId) => client.withSnapshot((at) => readAt(at, feedId)),
  }
}
