import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { DecodeError } from '../../bytes/cursor.ts'
import { decodeDictionaryItem, formatPlainClValue, type PlainClValue } from '../types/clValue.ts'
import { addressOf, dictionaryAddress, dictionaryKey, encodeKey } from '../types/key.ts'
import type { PrintedValue } from '../types/storedValue.ts'
import { MerkleProofError } from './merkleProofError.ts'
import { type MerkleProofRequest, verifyProof } from './verifyMerkleProof.ts'

export interface DictionaryItemProofRequest extends Omit<MerkleProofRequest, 'key'> {
  /** `uref-…-007` of the dictionary. */
  seedUref: string
  /** The item key that was asked for. */
  itemKey: string
}

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
export function verifyDictionaryItem(request: DictionaryItemProofRequest): { CLValue: PlainClValue } {
  const address = dictionaryAddress(request.seedUref, request.itemKey)
  const { storedValue } = verifyProof({ ...request, key: dictionaryKey(address) })
  try {
    return { CLValue: unwrap(storedValue, request) }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new MerkleProofError(request.what, 'dictionary item', error.rule)
  }
}

/** The item, without the seed and the item key that are stored behind it. */
function unwrap(stored: PrintedValue, { seedUref, itemKey }: DictionaryItemProofRequest): PlainClValue {
  if (!('CLValue' in stored)) throw malformed('the value is no item')
  const { cl_type: clType, bytes } = stored.CLValue
  const { value, seed, itemKey: key } = decodeDictionaryItem({ clType, bytes: hexToBytes(bytes) })
  if (bytesToHex(seed) !== bytesToHex(addressOf(encodeKey(seedUref))))
    throw malformed('it is of another dictionary')
  if (bytesToHex(key) !== bytesToHex(utf8ToBytes(itemKey))) throw malformed('it has another item key')
  return formatPlainClValue(value)
}

function malformed(rule: string): DecodeError {
  return new DecodeError('dictionary item', rule)
}
