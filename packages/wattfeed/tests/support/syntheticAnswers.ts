import { memberAt } from '@wattfeed/base'
import {
  type AnswerRpc,
  methodNotFound,
  noSuchStateRoot,
  queryFailed,
  type RpcAnswer,
} from '@wattfeed/casper-devnet'
import { stateRootOf } from '@wattfeed/casper-devnet/testing/recordedNode'
import { hashOf } from '@wattfeed/testing/bytesrepr'
import type { StoredValue } from './syntheticContract.ts'
import type { VersionedStore } from './versionedStore.ts'

export interface SyntheticAnswersOptions {
  chainName: string
  state: VersionedStore<StoredValue>
  /** State root hash of every version, from version 1 on. */
  roots: readonly string[]
  /** The newest version that this node knows. */
  tip: () => number
  /** Placeholder for the Merkle proof of every answer. */
  proof: string
  /** Block time of a version, in epoch milliseconds. @default not reported */
  blockTime?: (version: number) => number
}

const api = { api_version: '2.0.0' }

/** Returns a node's answers to reads of a synthetic chain. */
export function createSyntheticAnswers(options: SyntheticAnswersOptions): AnswerRpc {
  const { state, roots, tip, proof } = options
  const rootHash = (): string => roots[tip() - 1] ?? ''

  const read = (params: unknown, key: string): RpcAnswer => {
    const version = roots.indexOf(stateRootOf(params) ?? rootHash()) + 1
    if (version === 0 || version > tip()) return noSuchStateRoot('dictionary item')
    const value = state.at(key, version)
    if (value === undefined) return queryFailed
    return { result: { ...api, stored_value: value, merkle_proof: proof } }
  }

  return (method, params) => {
    if (method === 'info_get_status') return status(options, rootHash(), tip())
    if (method === 'chain_get_state_root_hash') return { result: { ...api, state_root_hash: rootHash() } }
    if (method === 'query_global_state') return read(params, String(memberAt(params, 'key')))
    if (method === 'state_get_dictionary_item') return read(params, dictionaryItem(params))
    return methodNotFound(method)
  }
}

function dictionaryItem(params: unknown): string {
  const item = memberAt(params, 'dictionary_identifier', 'URef')
  return `${memberAt(item, 'seed_uref')}/${memberAt(item, 'dictionary_item_key')}`
}

function status(options: SyntheticAnswersOptions, stateRootHash: string, height: number): RpcAnswer {
  const { chainName, blockTime } = options
  const block = {
    hash: hashOf(`${chainName}/block ${height}`),
    height,
    state_root_hash: stateRootHash,
    ...(blockTime && { timestamp: new Date(blockTime(height)).toISOString() }),
  }
  return { result: { ...api, chainspec_name: chainName, last_added_block_info: block, peers: [] } }
}
