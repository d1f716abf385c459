import { DecodeError } from '../../bytes/cursor.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { isRecord } from '../../casper/types/isRecord.ts'

/**
 * The state root hash after a block, by `chain_get_state_root_hash`: 64 hex digits. A node that does not have the
 * block yet refuses, and the next one is asked.
 */
export function getBlockStateRootHash(rpc: Rpc, blockHash: string, signal?: AbortSignal): Promise<string> {
  return rpc.call({
    method: 'chain_get_state_root_hash',
    params: { block_identifier: { Hash: blockHash } },
    signal,
    decode(result) {
      const hash = isRecord(result) ? result.state_root_hash : undefined
      if (typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash)) return hash
      throw new DecodeError('state_root_hash', 'it is not 64 hex digits')
    },
  })
}
