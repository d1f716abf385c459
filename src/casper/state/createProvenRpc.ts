import { DecodeError } from '../../bytes/cursor.ts'
import { verifyDictionaryItem, verifyMerkleProof } from '../proof/verifyMerkleProof.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'
import type { StoredValueJson } from '../types/storedValue.ts'
import { callAgreed } from './agreedAbsence.ts'

/** Verifies a read of global state, by method. */
const provers: Readonly<Record<string, (params: unknown, merkleProof: string) => StoredValueJson>> = {
  query_global_state: proveQuery,
  state_get_dictionary_item: proveDictionaryItem,
}

/**
 * Wraps `rpc` so that reads of global state return only proven values: `decode` gets the value in the `merkle_proof`,
 * verified against the requested state root. Absence is agreed on as in {@link callAgreed}. Other methods are unchanged.
 *
 * @example
 * ```ts
 * const proven = createProvenRpc(rpc)
 * await getDictionaryItem(proven, { stateRootHash, seedUref, itemKey, what, decode })
 * ```
 */
export function createProvenRpc(rpc: Rpc): Rpc {
  return {
    ...rpc,
    call(request) {
      const prove = provers[request.method]
      return prove ? callProven(rpc, request, prove) : rpc.call(request)
    },
  }
}

function callProven<T>(
  rpc: Rpc,
  request: RpcRequest<T>,
  prove: (params: unknown, merkleProof: string) => StoredValueJson,
): Promise<T> {
  return callAgreed(rpc, {
    ...request,
    decode: (result, ...rest) => request.decode(proven(request, result, prove), ...rest),
  })
}

/** Returns the result with the proven value in place of the served one. */
function proven<T>(
  { method, params }: RpcRequest<T>,
  result: unknown,
  prove: (params: unknown, merkleProof: string) => StoredValueJson,
): unknown {
  if (!isRecord(result) || typeof result.merkle_proof !== 'string')
    throw new DecodeError(method, 'it comes without a merkle_proof')
  return { ...result, stored_value: prove(params, result.merkle_proof) }
}

function proveQuery(params: unknown, merkleProof: string): StoredValueJson {
  const { key, state_identifier } = asRecord(params)
  const { StateRootHash: stateRootHash } = asRecord(state_identifier)
  const what = String(key)
  return verifyMerkleProof({ merkleProof, stateRootHash: String(stateRootHash), key: what, what })
}

function proveDictionaryItem(params: unknown, merkleProof: string): StoredValueJson {
  const { state_root_hash, dictionary_identifier } = asRecord(params)
  const { seed_uref, dictionary_item_key } = asRecord(asRecord(dictionary_identifier).URef)
  const itemKey = String(dictionary_item_key)
  return verifyDictionaryItem({
    merkleProof,
    stateRootHash: String(state_root_hash),
    seedUref: String(seed_uref),
    itemKey,
    what: `dictionary item ${itemKey}`,
  })
}

/** For parameters that this program built itself. */
function asRecord(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value
  throw new DecodeError('request', 'what it asks for cannot be proven: it names no state root')
}
