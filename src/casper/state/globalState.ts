import type { AbortSignalLike } from '../../async/webTypes.ts'
import { DecodeError } from '../../bytes/cursor.ts'
import type { Node } from '../rpc/node.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'
import { hash, members } from '../types/jsonField.ts'
import { clValueBytes } from '../types/storedValueJson.ts'
import { absentAsHidden, absentAsNull } from './absent.ts'

export interface GlobalStateRequest<T> {
  /** Null reads at the node's newest block. */
  stateRootHash: string | null
  /** A formatted key: `hash-…`, `uref-…-007`. */
  key: string
  /** Decodes the `stored_value`. If it throws, the node is at fault. */
  decode: (storedValue: unknown) => T
  signal?: AbortSignalLike | undefined
}

/** Reads the value under a key by `query_global_state`; null if there is none. */
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

export interface DictionaryItemRequest<T> {
  stateRootHash: string
  /** `uref-…-007` of the dictionary. It must exist: nodes do not distinguish an unknown seed from an absent item. */
  seedUref: string
  itemKey: string
  /** Names the item in errors: `feeds[EIA.PET.PRICE.WTI.DAILY]`. */
  what: string
  /** Decodes the CLValue's bytes. If it throws, the node is at fault. */
  decode: (bytes: Uint8Array) => T
  signal?: AbortSignalLike | undefined
}

/** Reads a dictionary item by `state_get_dictionary_item`; null if there is none. */
export function getDictionaryItem<T>(rpc: Rpc, request: DictionaryItemRequest<T>): Promise<T | null> {
  return rpc.call<T | null>({ ...itemCall(request), refused: absentAsNull })
}

/**
 * Reads a dictionary item that is known to exist. A node that reports it as absent is at fault, and another is asked.
 *
 * @throws {AllNodesFailedError} with a {@link HiddenValueError} for each node that reports it as absent.
 */
export function getKnownItem<T>(rpc: Rpc, request: DictionaryItemRequest<T>): Promise<T> {
  return rpc.call({ ...itemCall(request), refused: (error) => absentAsHidden(error, request.what) })
}

function itemCall<T>(request: DictionaryItemRequest<T>) {
  return {
    method: 'state_get_dictionary_item',
    params: {
      state_root_hash: request.stateRootHash,
      dictionary_identifier: {
        URef: { seed_uref: request.seedUref, dictionary_item_key: request.itemKey },
      },
    },
    signal: request.signal,
    decode(result: unknown): T {
      if (!isRecord(result)) throw new DecodeError(request.what, 'the result is not an object')
      return request.decode(clValueBytes(result.stored_value, request.what))
    },
  }
}

/** A state root hash and the node that named it. */
export interface StateRoot {
  /** 64 hex digits. */
  hash: string
  node: Node
}

/**
 * Reads a block's state root hash by `chain_get_state_root_hash`, of the newest by default. A node that does not have the
 * block fails, and the next one is asked.
 *
 * @param blockHash - 64 hex digits
 */
export function getStateRootHash(rpc: Rpc, signal?: AbortSignalLike, blockHash?: string): Promise<StateRoot> {
  return rpc.call({
    method: 'chain_get_state_root_hash',
    params: blockHash === undefined ? {} : { block_identifier: { Hash: blockHash } },
    signal,
    decode(result, node) {
      return { hash: members(result, 'state_root_hash')('state_root_hash', hash), node }
    },
  })
}
