import { type GlobalState, MAX_CLOCK_AHEAD_MS, type Rpc } from '@wattfeed/casper'
import { getBlock } from '@wattfeed/casper/light-client'
import { decodeBlock } from '@wattfeed/casper/types'
import type { Registries } from '../../registry/registryContract.ts'
import { createRootReader } from '../../registry/rootReader.ts'
import type { SourcedRoot } from '../chainSource.ts'
import { readLengths } from './eventLogs.ts'
import type { FeedList } from './feedList.ts'

interface LogSource extends Registries {
  rpc: Rpc
  state: GlobalState
  /** Epoch milliseconds. */
  wallClock: () => number
}

/**
 * Whether a block later than the known list has a shorter log, which a lagging node cannot have. Time and state root are
 * read with one call, because behind a load balancer the next call may reach another node.
 *
 * @param time - block time of the known list; an upper bound for it if nodes are trusted
 */
export async function hasLaterShorterLog(
  source: LogSource,
  list: FeedList,
  time: number,
  root: SourcedRoot,
): Promise<boolean> {
  const { rpc, state, wallClock } = source
  const block = await blockOf(rpc, root).catch(() => null)
  if (block === null || block.timestamp > wallClock() + MAX_CLOCK_AHEAD_MS) return false
  const reader = createRootReader(state, block.stateRootHash, list.sequence)
  const lengths = await readLengths(source, reader).catch(() => null)
  if (lengths === null) return false
  const { feed, attestation } = list.lengths
  const attestedAt = newestAttestationTime(list)
  const isAttestationGone = (lengths.attestation ?? 0) < (attestation ?? 0)
  // If the time of the newest attestation is in the future, use the time when it was read.
  if (isAttestationGone)
    return block.timestamp > (attestedAt > wallClock() + MAX_CLOCK_AHEAD_MS ? time : attestedAt)
  return (lengths.feed ?? 0) < (feed ?? 0) && block.timestamp > time
}

async function blockOf(rpc: Rpc, { hash, verification }: SourcedRoot) {
  if (verification) return { stateRootHash: hash, timestamp: verification.blockTimestamp }
  return (await getBlock(rpc, { identifier: null, decode: decodeBlock })).header
}

const newestAttestationTime = ({ entries }: FeedList): number =>
  [...entries.values()].reduce((newest, { value }) => Math.max(newest, value?.timestamp ?? 0), 0)
