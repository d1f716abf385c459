import type { NewestBlock } from '../casper/rpc/nodeStatus.ts'
import type { Head } from './head.ts'
import { askNewestBlocks, type NewestBlocksOptions } from './newestBlocks.ts'
import type { VerifyLevel } from './verification.ts'

/** What a client currently knows. */
export interface ClientStatus {
  /**
   * The answering node's newest block: the verified one, or with `verify: 'off'` the one that the node reported, at most
   * some 15 s ago while reads go on. Null if unknown.
   */
  readonly block: NewestBlock | null
  /** Registered feeds; null before the first list. */
  readonly feeds: number | null
  /** Feeds that the list leaves out because they do not decode; null before the first list. */
  readonly undecodable: number | null
}

export interface ClientStatusOptions extends NewestBlocksOptions {
  head: () => Pick<Head, 'root' | 'feeds'>
  verify: VerifyLevel
  /** Milliseconds of a monotonic clock. */
  now: () => number
}

/** Minimum interval between requests for the nodes' newest blocks. */
const MIN_POLL_INTERVAL_MS = 15_000

/** Reports a client's status. With `verify: 'off'`, asks nodes for their newest blocks in the background. */
export function createClientStatus(options: ClientStatusOptions) {
  const { verify, blocks, head, now } = options
  let askedAt = Number.NEGATIVE_INFINITY

  function newestBlock(): NewestBlock | null {
    const root = head().root()
    if (root?.verification) {
      const { blockHeight: height, blockHash: hash, blockTimestamp: timestamp } = root.verification
      return { height, hash, timestamp }
    }
    return (root && blocks.get(root.node)) ?? null
  }

  return {
    /** Asks the nodes for their newest blocks, if that is due. Called after each read of the newest root. */
    refresh(): void {
      if (verify !== 'off' || now() - askedAt < MIN_POLL_INTERVAL_MS) return
      // The first came with the check of the chain's name.
      const isFirst = askedAt < 0
      askedAt = now()
      if (!isFirst) void askNewestBlocks(options)
    },
    status(): ClientStatus {
      const list = head().feeds()
      return {
        block: newestBlock(),
        feeds: list?.entries.size ?? null,
        undecodable: list?.undecodable ?? null,
      }
    },
  }
}
