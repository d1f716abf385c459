import { DecodeError } from '../../bytes/cursor.ts'
import type { Node } from '../rpc/nodePool.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'

/** The time of a node's newest block in epoch milliseconds, by `info_get_status`. */
export function getChainTime(rpc: Rpc, signal?: AbortSignal): Promise<{ timestamp: number; node: Node }> {
  return rpc.call({
    method: 'info_get_status',
    params: {},
    signal,
    decode(result, node) {
      const block = isRecord(result) ? result.last_added_block_info : undefined
      const timestamp = isRecord(block) ? Date.parse(String(block.timestamp)) : Number.NaN
      if (Number.isNaN(timestamp)) throw new DecodeError('info_get_status', 'it tells no newest block')
      return { timestamp, node }
    },
  })
}
