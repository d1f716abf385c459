import type { BlockTransaction } from './blockStore.ts'
import type { ChainBlock } from './chainView.ts'

/** A block with all that it takes to have it again. */
export interface BlockRecord {
  block: ChainBlock
  transactions: readonly BlockTransaction[]
  /** By the lower-case hex of a serialized key; null prunes. */
  writes: readonly (readonly [string, Uint8Array | null])[]
}

/** As JSON that a log keeps. */
export function encodeRecord({ block, transactions, writes }: BlockRecord): object {
  return { block, transactions, writes: writes.map(([key, value]) => [key, value?.toHex() ?? null]) }
}

/** What {@link encodeRecord} made: the log's checksum vouches for it. */
export function decodeRecord(record: unknown): BlockRecord {
  const { block, transactions, writes } = record as ReturnType<typeof encodeRecord> & {
    block: ChainBlock
    transactions: readonly BlockTransaction[]
    writes: readonly [string, string | null][]
  }
  return {
    block,
    transactions,
    writes: writes.map(([key, hex]) => [key, hex === null ? null : Uint8Array.fromHex(hex)]),
  }
}
