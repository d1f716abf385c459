import type { Node } from '../casper/rpc/node.ts'
import { MAX_CLOCK_AHEAD_MS, type NewestBlock } from '../casper/rpc/nodeStatus.ts'
import type { Rpc } from '../casper/rpc/rpc.ts'
import { StaleNodeError } from './errors.ts'

export interface NewestBlocksOptions {
  rpc: Rpc
  blocks: ReadonlyMap<Node, NewestBlock>
  /** Maximum lag of a node behind the others, in milliseconds. */
  maxHeadAgeMs: number
  /** Epoch milliseconds. */
  wallClock: () => number
}

/** Polls the status of every node, and penalizes nodes whose newest block is far older than the newest of all. */
export async function askNewestBlocks({
  rpc,
  blocks,
  maxHeadAgeMs,
  wallClock,
}: NewestBlocksOptions): Promise<void> {
  await Promise.allSettled(rpc.nodes.map((node) => rpc.getStatus(node)))
  const times = rpc.nodes
    .map((node) => ({ node, timestamp: blocks.get(node)?.timestamp ?? Number.POSITIVE_INFINITY }))
    // A block from the future must not make the others look old.
    .filter(({ timestamp }) => timestamp <= wallClock() + MAX_CLOCK_AHEAD_MS)
  const newest = Math.max(...times.map(({ timestamp }) => timestamp))
  for (const { node, timestamp } of times)
    if (newest - timestamp > maxHeadAgeMs) rpc.penalize(node, new StaleNodeError(newest - timestamp))
}
