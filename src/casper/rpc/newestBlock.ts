import { isRecord } from '../types/isRecord.ts'

/** A node's newest block, as the node itself tells. */
export interface NewestBlock {
  readonly height: number
  /** 64 hex digits. */
  readonly hash: string
  /** The block's own time, in epoch milliseconds. */
  readonly timestamp: number
}

/** A block further ahead of this machine's clock, in milliseconds, is made up, or the clock is wrong. */
export const MAX_AHEAD_MS = 60_000

/** The `last_added_block_info` of an `info_get_status` result; null where it tells none. */
export function readNewestBlock(status: unknown): NewestBlock | null {
  const info = isRecord(status) ? status.last_added_block_info : undefined
  if (!isRecord(info)) return null
  const { height, hash, timestamp } = info
  const time = Date.parse(String(timestamp))
  if (typeof height !== 'number' || typeof hash !== 'string' || Number.isNaN(time)) return null
  return { height, hash, timestamp: time }
}
