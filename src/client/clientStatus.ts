import type { NewestBlock } from '../casper/rpc/nodeStatus.ts'
import type { AbsenceWay } from '../casper/state/absent.ts'
import type { Absences } from './chainSource.ts'
import type { Head } from './head.ts'
import { askNewestBlocks, type NewestBlocksOptions } from './newestBlocks.ts'
import type { VerifyLevel } from './verification.ts'

/** State of a client. */
export interface ClientStatus {
  /**
   * Newest block of the node that answered last: the verified block, or with `verify: 'off'` the block that the node
   * reported. That report is at most about 15 s old while the client reads. Null before the first.
   */
  readonly block: NewestBlock | null
  /** Number of registered feeds; null before the first {@link Reads.listReadings}. */
  readonly feeds: number | null
  /** Number of feeds that do not decode; null before the first {@link Reads.listReadings}. */
  readonly undecodable: number | null
  /** How the latest absence of a value was shown; null before the first, and with `verify: 'off'`. */
  readonly absenceShownBy: AbsenceWay | null
}

export interface ClientStatusOptions extends NewestBlocksOptions {
  head: () => Pick<Head, 'root' | 'feeds'>
  verify: VerifyLevel
  absences: Absences | null
  /** Milliseconds of a monotonic clock. */
  now: () => number
}

/** Minimum interval between requests for the nodes' newest blocks. */
const MIN_POLL_INTERVAL_MS = 15_000

/** Creates the status of a client. With `verify: 'off'`, polls the nodes for their newest blocks in the background. */
export function createClientStatus(options: ClientStatusOptions) {
  const { verify, blocks, head, absences, now } = options
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
    /** Polls the nodes for their newest blocks if the last poll is old enough. Called after each read of the newest root. */
    refresh(): void {
      if (verify !== 'off' || now() - askedAt < MIN_POLL_INTERVAL_MS) return
      // The check of the chain's name has already read the first one.
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
        absenceShownBy: absences?.latest() ?? null,
      }
    },
  }
}
