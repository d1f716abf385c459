import { formatStoredValue } from '../../casper/types/storedValue.ts'
import type { ChainView } from '../chain/chainView.ts'
import { hashOf, listOf, recordOf, requiredField, textOf } from '../params.ts'
import { keyParam } from './keyParam.ts'
import { queryState } from './readState.ts'
import { requestedState } from './stateIdentifier.ts'

/** `query_global_state`: what is stored under a key, or at the end of a path from it. */
export function queryGlobalState(view: ChainView, params: unknown): object {
  const { stateRootHash, block } = requestedState(view, params)
  return {
    block_header: block === null ? null : { Version2: block.json.block.Version2.header },
    ...queried(view, stateRootHash, params),
  }
}

/** `state_get_item`: the same at a state root. */
export function stateGetItem(view: ChainView, params: unknown): object {
  return queried(view, hashOf(requiredField(params, 'state_root_hash')), params)
}

function queried(view: ChainView, stateRootHash: string, params: unknown): object {
  const key = keyParam(requiredField(params, 'key'))
  const path = listOf(recordOf(params).path ?? []).map(textOf)
  const read = { stateRootHash, what: 'global state item' }
  const { value, merkleProof } = queryState(view, read, key, path)
  return { stored_value: formatStoredValue(value), merkle_proof: merkleProof }
}
