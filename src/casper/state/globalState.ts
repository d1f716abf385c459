import { DecodeError } from '../../bytes/cursor.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'
import { absentAsNull } from './absent.ts'

export interface GlobalStateRequest<T> {
  /** At which state root; null asks at the node's newest block. */
  stateRootHash: string | null
  /** A formatted key: `hash-…`, `uref-…-007`. */
  key: string
  /** Decodes the `stored_value`. What it throws counts as the node's fault. */
  decode: (storedValue: unknown) => T
  signal?: AbortSignal | undefined
}

/** What is stored under a key, or null where nothing is, by `query_global_state`. */
export function queryGlobalState<T>(rpc: Rpc, request: GlobalStateRequest<T>): Promise<T | null> {
  const at = request.stateRootHash
  return rpc.call<T | null>({
    method: 'query_global_state',
    params: {
      state_identifier: at === null ? null : { StateRootHash: at },
      key: request.key,
      path: [],
    },
    signal: request.signal,
    decode(result) {
      if (!isRecord(result)) throw new DecodeError(request.key, 'the result is not an object')
      return request.decode(result.stored_value)
    },
    refused: absentAsNull,
  })
}
