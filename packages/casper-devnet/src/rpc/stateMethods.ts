import { encodeHex } from '@wattfeed/base'
import { formatServedValue } from '@wattfeed/casper/types'
import type { ChainView } from '../chain/chainView.ts'
import { hashOf, listOf, recordOf, requiredField, textOf } from '../params.ts'
import { requestedState } from './identifiers.ts'
import { keyParam } from './keyTexts.ts'
import { queryState } from './readServedValue.ts'

/** `query_global_state`: the value of a key, or at the end of a path that starts at the key. */
export function queryGlobalState(view: ChainView, params: unknown): object {
  const { stateRootHash, block } = requestedState(view, params)
  return {
    block_header: block === null ? null : { Version2: block.json.block.Version2.header },
    ...queried(view, stateRootHash, params),
  }
}

export function stateGetItem(view: ChainView, params: unknown): object {
  return queried(view, hashOf(requiredField(params, 'state_root_hash')), params)
}

/** `state_get_trie`: the bytes of one element of the trie. Null if the chain has no such element, like in a node. */
export function stateGetTrie(view: ChainView, params: unknown): object {
  const element = view.trieElement(hashOf(requiredField(params, 'trie_key')))
  return { maybe_trie_bytes: element && encodeHex(element) }
}

function queried(view: ChainView, stateRootHash: string, params: unknown): object {
  const key = keyParam(requiredField(params, 'key'))
  const path = listOf(recordOf(params).path ?? []).map(textOf)
  const read = { stateRootHash, what: 'global state item' }
  const { value, merkleProof } = queryState(view, read, key, path)
  return { stored_value: formatServedValue(value), merkle_proof: merkleProof }
}
