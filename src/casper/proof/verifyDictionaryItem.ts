import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { createCursor, DecodeError } from '../../bytes/cursor.ts'
import { dictionaryAddress, encodeDictionaryKey, encodeKey } from '../types/key.ts'
import { type ClValue, readClValue, type StoredValue } from '../types/storedValue.ts'
import { MerkleProofError } from './merkleProofError.ts'
import { type MerkleProofRequest, verifyProof } from './verifyMerkleProof.ts'

export interface DictionaryItemProofRequest extends Omit<MerkleProofRequest, 'key'> {
  /** `uref-…-007` of the dictionary. */
  seedUref: string
  /** The item key that was asked for. */
  itemKey: string
}

const utf8 = new TextEncoder()

/**
 * The dictionary item at a state root, as the node proves it by the `merkle_proof` of
 * `state_get_dictionary_item`. What was said of {@link verifyMerkleProof} holds here too.
 *
 * @throws {MerkleProofError} that names the broken link.
 *
 * @example
 * ```ts
 * const { CLValue } = verifyDictionaryItem({ merkleProof, stateRootHash, seedUref, itemKey: '0', what: 'event 0' })
 * CLValue.bytes // hex
 * ```
 */
export function verifyDictionaryItem(request: DictionaryItemProofRequest): { CLValue: ClValue } {
  const address = dictionaryAddress(request.seedUref, request.itemKey)
  const { storedValue } = verifyProof({ ...request, key: encodeDictionaryKey(address) })
  try {
    return { CLValue: unwrap(storedValue, request) }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new MerkleProofError(request.what, 'dictionary item', error.rule)
  }
}

/** A stored dictionary item is of type `Any`: the serialized item, then the seed, then the item key. */
function unwrap(stored: StoredValue, { seedUref, itemKey }: DictionaryItemProofRequest): ClValue {
  if (!('CLValue' in stored) || stored.CLValue.cl_type !== 'Any') throw malformed('the value is no item')
  const cursor = createCursor(hexToBytes(stored.CLValue.bytes), 'dictionary item')
  const item = readClValue(cursor)
  const storedSeed = cursor.bytes(cursor.u32())
  const storedKey = cursor.bytes(cursor.u32())
  cursor.end()
  if (bytesToHex(storedSeed) !== bytesToHex(encodeKey(seedUref).subarray(1, 33)))
    throw malformed('it is of another dictionary')
  if (bytesToHex(storedKey) !== bytesToHex(utf8.encode(itemKey))) throw malformed('it has another item key')
  return item
}

function malformed(rule: string): DecodeError {
  return new DecodeError('dictionary item', rule)
}
