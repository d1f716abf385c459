import type { NewestBlock } from '../casper/rpc/nodeStatus.ts'
import type { SourcedRoot } from './chainSource.ts'
import type { Live } from './live.ts'
import type { NewestBlocksOptions } from './newestBlocks.ts'
import type { VerifyLevel } from './verification.ts'

/** What a client knows just now. */
export interface ClientStatus {
  /**
   * The newest block of the node that answers: the verified one, or at `verify: 'off'` the one that the node told of, some
   * 15 s ago at most while reads go on. Null where none was told.
   */
  readonly block: NewestBlock | null
  /** Registered feeds; null before the first list. */
  readonly feeds: number | null
  /** Feeds that the list leaves out, because what is stored of them does not decode; null before the first list. */
  readonly undecodable: number | null
}

export interface KnownOptions extends NewestBlocksOptions {
  verify: VerifyLevel
  /** Milliseconds of a monotonic clock. */
  now: () => number
}

/** How often nodes are asked for their newest block at most. */
const MIN_POLL_INTERVAL_MS = 15_000

/** Keeps what a client tells as its status. With `verify: 'off'`, nodes are asked for their newest blocks in the background. */
export function createKnown(options: KnownOptions) {
  const { verify, blocks, now } = options
  let root: SourcedRoot | null = null
  let live: Live | null = null
  let askedAt = Number.NEGATIVE_INFINITY

  function newestBlock(): NewestBlock | null {
    if (root?.verification) {
      const { blockHeight: height, blockHash: hash, blockTimestamp: timestamp } = root.verification
      return { height, hash, timestamp }
    }
    return (root && blocks.get(root.node)) ?? null
  }

  return {
    onRoot(newest: SourcedRoot): void {
      root = newest
      if (verify !== 'off' || now() - askedAt < MIN_POLL_INTERVAL_MS) return
      // The first was told when the chain's name was checked.
      const isFirst = askedAt < 0
      askedAt = now()
      if (!isFirst)
        void import('./newestBlocks.ts').then(
          (module) => module.askNewestBlocks(options),
          () => {},
        )
    },
    onAdvance(newest: Live): void {
      live = newest
    },
    status: (): ClientStatus => ({
      block: newestBlock(),
      feeds: live?.entries.size ?? null,
      undecodable: live?.undecodable ?? null,
    }),
  }
}
