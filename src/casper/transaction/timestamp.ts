import { readNewestBlock } from '../rpc/nodeStatus.ts'
import type { Rpc } from '../rpc/rpc.ts'

/** A node refuses a transaction that is stamped further ahead of its own clock: the chainspec's `timestamp_leeway`. */
const LEEWAY_MS = 2_000

/**
 * Returns the timestamp of a transaction that is signed now: the time of the newest block that any node reports, whatever
 * this machine's clock says. A chain that made no block for half of the transaction's lifetime has no such time: then it
 * is the earlier of this machine's clock, less the nodes' leeway, and the nodes' clock.
 *
 * @param now this machine's clock, in epoch milliseconds
 */
export async function readTimestamp(rpc: Rpc, ttlMs: number, now: () => number): Promise<number> {
  const blockTime = await readNewestBlockTime(rpc)
  const clockTime = Math.min(now() - LEEWAY_MS, rpc.nodeTime() ?? Number.POSITIVE_INFINITY)
  return blockTime !== null && blockTime >= clockTime - ttlMs / 2 ? blockTime : clockTime
}

/** Asks every node, because one that lags reports an old block. Null if none reports one. */
async function readNewestBlockTime(rpc: Rpc): Promise<number | null> {
  const answers = await Promise.allSettled(rpc.nodes.map((node) => rpc.getStatus(node)))
  const times = answers.flatMap((answer) =>
    answer.status === 'fulfilled' ? (readNewestBlock(answer.value)?.timestamp ?? []) : [],
  )
  return times.length === 0 ? null : Math.max(...times)
}

/** From this difference on, the owner is asked to set the clock. */
const FAR_OFF_MS = 10_000

/** Returns how far this machine's clock is ahead of the nodes'; null if the difference is small or not known. */
export function clockOffMs(rpc: Pick<Rpc, 'nodeTime'>, now: () => number): number | null {
  const nodeTime = rpc.nodeTime()
  const aheadMs = nodeTime === null ? 0 : now() - nodeTime
  return Math.abs(aheadMs) < FAR_OFF_MS ? null : aheadMs
}

/** Says how far this machine's clock is off, and to which side. */
export const clockWords = (aheadMs: number): string =>
  `this machine's clock is ${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} the chain's`
