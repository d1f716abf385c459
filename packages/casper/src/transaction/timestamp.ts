import { readNewestBlock } from '../rpc/nodeStatus.ts'
import type { Rpc } from '../rpc/rpc.ts'

/** The chainspec's `timestamp_leeway`. A node rejects a transaction whose timestamp is further ahead of its own clock. */
const LEEWAY_MS = 2_000

/**
 * Returns the timestamp of a new transaction: the time of the newest block that any node reports. A clock only decides
 * whether that block is recent, so one that is a little off changes nothing.
 *
 * If the block is older than half of the transaction's lifetime, the timestamp is the earlier of two times: this machine's
 * clock minus the nodes' leeway, or the nodes' clock.
 *
 * @param now this machine's clock, in epoch milliseconds
 */
export async function readTimestamp(rpc: Rpc, ttlMs: number, now: () => number): Promise<number> {
  const blockTime = await readNewestBlockTime(rpc)
  const clockTime = Math.min(now() - LEEWAY_MS, rpc.nodeTime() ?? Number.POSITIVE_INFINITY)
  return blockTime !== null && blockTime >= clockTime - ttlMs / 2 ? blockTime : clockTime
}

/** Null if no node reports a block. */
async function readNewestBlockTime(rpc: Rpc): Promise<number | null> {
  const times = await readBlockTimes(rpc)
  return times.length === 0 ? null : Math.max(...times)
}

/** Returns the time of each node's newest block, in epoch milliseconds. A lagging node reports an old block. */
export async function readBlockTimes(rpc: Rpc): Promise<number[]> {
  const answers = await Promise.allSettled(rpc.nodes.map((node) => rpc.getStatus(node)))
  return answers.flatMap((answer) =>
    answer.status === 'fulfilled' ? (readNewestBlock(answer.value)?.timestamp ?? []) : [],
  )
}
