import { DecodeError } from '../../bytes/cursor.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'
import { clValueBytes } from '../types/storedValueJson.ts'
import { absentAsNull } from './absent.ts'

export interface DictionaryItemRequest<T> {
  stateRootHash: string
  /** `uref-…-007` of the dictionary. It must exist: the node cannot tell an unknown seed from an absent item. */
  seedUref: string
  itemKey: string
  /** What the item is, for errors: `feeds[EIA.PET.PRICE.WTI.DAILY]`. */
  what: string
  /** Decodes the CLValue's bytes. What it throws counts as the node's fault. */
  decode: (bytes: Uint8Array) => T
  signal?: AbortSignal | undefined
}

/** One dictionary item, or null where there is none, by `state_get_dictionary_item`. */
export function getDictionaryItem<T>(rpc: Rpc, request: DictionaryItemRequest<T>): Promise<T | null> {
  return rpc.call<T | null>({
    method: 'state_get_dictionary_item',
    params: {
      state_root_hash: request.stateRootHash,
      dictionary_identifier: {
        URef: { seed_uref: request.seedUref, dictionary_item_key: request.itemKey },
      },
    },
    signal: request.signal,
    decode(result) {
      if (!isRecord(result)) throw new DecodeError(request.what, 'the result is not an object')
      return request.decode(clValueBytes(result.stored_value, request.what))
    },
    refused: absentAsNull,
  })
}
