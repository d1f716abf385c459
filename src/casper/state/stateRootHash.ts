import type { AbortSignalLike } from '../../async/webTypes.ts'
import { DecodeError } from '../../bytes/cursor.ts'
import type { Node } from '../rpc/nodePool.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'

/** A state root hash and the node that named it. */
export interface StateRoot {
  /** 64 hex digits. */
  hash: string
  node: Node
}

/** The state root hash of the newest block, by `chain_get_state_root_hash`. */
export function getStateRootHash(rpc: Rpc, signal?: AbortSignalLike): Promise<StateRoot> {
  return rpc.call({
    method: 'chain_get_state_root_hash',
    params: {},
    signal,
    decode(result, node) {
      const hash = isRecord(result) ? result.state_root_hash : undefined
      if (typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash)) return { hash, node }
      throw new DecodeError('state_root_hash', 'it is not 64 hex digits')
    },
  })
}
