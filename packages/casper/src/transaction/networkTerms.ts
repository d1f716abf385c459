import { readNewestBlock, readProtocolVersion } from '../rpc/nodeStatus.ts'
import type { Rpc } from '../rpc/rpc.ts'

/** The chainspec's `timestamp_leeway`. A node rejects a transaction whose timestamp is further ahead of its own clock. */
const LEEWAY_MS = 2_000

/** What a new transaction takes from the network. */
export interface NetworkTerms {
  /** Of the transaction, in epoch milliseconds. */
  timestamp: number
  /** The network's protocol, by the node with the newest block; null if no node says it. */
  protocolVersion: string | null
}

/**
 * Returns the timestamp of a new transaction: the time of the newest block that any node reports. A clock only decides
 * whether that block is recent, so one that is a little off changes nothing.
 *
 * If the block is older than half of the transaction's lifetime, the timestamp is the earlier of two times: this machine's
 * clock minus the nodes' leeway, or the nodes' clock.
 *
 * The same answers name the protocol, so an upgrade of the network is noticed by the next transaction.
 *
 * @param now this machine's clock, in epoch milliseconds
 */
export async function readNetworkTerms(rpc: Rpc, ttlMs: number, now: () => number): Promise<NetworkTerms> {
  const newest = (await readStatuses(rpc)).sort((a, b) => b.blockTime - a.blockTime)[0]
  const clockTime = Math.min(now() - LEEWAY_MS, rpc.nodeTime() ?? Number.POSITIVE_INFINITY)
  const isRecent = newest !== undefined && newest.blockTime >= clockTime - ttlMs / 2
  return {
    timestamp: isRecent ? newest.blockTime : clockTime,
    protocolVersion: newest?.protocolVersion ?? null,
  }
}

/** Returns the time of each node's newest block, in epoch milliseconds. A lagging node reports an old block. */
export async function readBlockTimes(rpc: Rpc): Promise<number[]> {
  return (await readStatuses(rpc)).map(({ blockTime }) => blockTime)
}

/** Asks each node. Skips those that do not answer, or have no block. */
async function readStatuses(rpc: Rpc): Promise<{ blockTime: number; protocolVersion: string | null }[]> {
  const answers = await Promise.allSettled(rpc.nodes.map((node) => rpc.getStatus(node)))
  return answers.flatMap((answer) => {
    const block = answer.status === 'fulfilled' ? readNewestBlock(answer.value) : null
    if (answer.status === 'rejected' || block === null) return []
    return [{ blockTime: block.timestamp, protocolVersion: readProtocolVersion(answer.value) }]
  })
}
