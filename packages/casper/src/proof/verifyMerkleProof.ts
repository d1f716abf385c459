import { equalBytes } from '@noble/curves/utils.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { DecodeError, decodeHex, encodeHex } from '@wattfeed/base'
import {
  type DictionaryItem,
  decodeDictionaryItem,
  formatPlainClValue,
  type PlainClValue,
} from '../types/clValue.ts'
import { isRecord } from '../types/jsonField.ts'
import { addressOf, dictionaryKey } from '../types/key.ts'
import { dictionaryAddress, encodeKey } from '../types/keyKinds.ts'
import { formatStoredValue, type StoredValueJson } from '../types/storedValue.ts'
import {
  COUNT_BYTES,
  decodeMerkleProof,
  decodeUnknownProof,
  elementsOf,
  isOnPath,
  type MerkleProof,
  type PathElement,
  type ProofTarget,
} from './merkleProof.ts'
import { MerkleProofError } from './merkleProofError.ts'

/** A proof, and what it must prove. */
export interface MerkleProofRequest {
  /** The node's `merkle_proof`, in hex. */
  merkleProof: string
  stateRootHash: string
  /** The requested key: `hash-…`, `uref-…-007`, `account-hash-…`, `dictionary-…`. */
  key: string
  /** Names the value in errors. */
  what: string
}

/**
 * Verifies a `merkle_proof` and returns the value that it proves for a key at a state root.
 *
 * Use this value instead of the one that the node returned with the proof.
 *
 * @example
 * ```ts
 * import { MerkleProofError, verifyMerkleProof } from '@wattfeed/casper'
 *
 * const stateRootHash = '00'.repeat(32)
 * try {
 *   console.log(verifyMerkleProof({ merkleProof: '00', stateRootHash, key: `hash-${'00'.repeat(32)}`, what: 'my package' }))
 * } catch (error) {
 *   if (error instanceof MerkleProofError) console.log(error.link) // encoding
 * }
 * ```
 *
 * @returns the stored value in the JSON of a node, without what a node adds (`parsed`), and without an account's named keys if one
 * has an unknown kind.
 * @throws {MerkleProofError} with the broken link.
 */
export function verifyMerkleProof({ key, ...proof }: MerkleProofRequest): StoredValueJson {
  const { storedValue } = verifyProof({ ...proof, key: encodeKey(key) })
  try {
    return formatStoredValue(storedValue)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new MerkleProofError(proof.what, 'encoding', error.message)
  }
}

/** A proof that was verified, with the elements from the leaf up to the root. */
export type VerifiedProof = MerkleProof & { elements: readonly PathElement[] }

/** Like {@link verifyMerkleProof}, for a serialized key. Returns the whole proof. */
export function verifyProof(request: Omit<MerkleProofRequest, 'key'> & { key: Uint8Array }): VerifiedProof {
  const { what, key, stateRootHash } = request
  const proof = decode(request)
  if (!isOnPath(proof.steps, key))
    throw new MerkleProofError(what, 'path', 'its steps do not lead to the key')
  const { elements, root } = elementsOf(proof)
  if (encodeHex(root) !== stateRootHash.toLowerCase())
    throw new MerkleProofError(what, 'state root', `the proof leads to ${encodeHex(root)}`)
  return { ...proof, elements }
}

function decode(request: Omit<MerkleProofRequest, 'key'> & { key: Uint8Array }): MerkleProof {
  const { merkleProof, key, what } = request
  try {
    const bytes = decodeHex(merkleProof, 'merkle_proof')
    const named = bytes.subarray(COUNT_BYTES, COUNT_BYTES + key.length)
    // Checked first: with a key of another length, the rest would not decode. If the bytes end early, the decoder says so.
    if (named.length === key.length && !equalBytes(named, key))
      throw new MerkleProofError(what, 'key', 'the proof is for another key')
    return decodeBytes(bytes, request)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new MerkleProofError(what, 'encoding', error.message)
  }
}

function decodeBytes(bytes: Uint8Array, target: ProofTarget): MerkleProof {
  try {
    return decodeMerkleProof(bytes, target.key.length)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return decodeUnknownProof(bytes, target, error)
  }
}

/** A proof of a dictionary item. */
export interface DictionaryItemProofRequest extends Omit<MerkleProofRequest, 'key'> {
  /** Seed URef of the dictionary: `uref-…-007`. */
  seedUref: string
  itemKey: string
}

/**
 * Like {@link verifyMerkleProof}, for the `merkle_proof` of `state_get_dictionary_item`.
 *
 * @throws {MerkleProofError} with the broken link.
 */
export function verifyDictionaryItem(request: DictionaryItemProofRequest): { CLValue: PlainClValue } {
  const address = dictionaryAddress(request.seedUref, request.itemKey)
  const { storedValue } = verifyProof({ ...request, key: dictionaryKey(address) })
  return unwrapDictionaryItem(storedValue, request)
}

/**
 * Checks the seed and the item key that are stored after a dictionary item, and returns the item alone.
 *
 * @throws {MerkleProofError}
 */
export function unwrapDictionaryItem(
  stored: MerkleProof['storedValue'],
  { seedUref, itemKey, what }: Pick<DictionaryItemProofRequest, 'seedUref' | 'itemKey' | 'what'>,
): { CLValue: PlainClValue } {
  const { value, seed, itemKey: key } = decodeItem(stored, what)
  if (!equalBytes(seed, addressOf(encodeKey(seedUref))))
    throw new MerkleProofError(what, 'dictionary item', 'the item belongs to another dictionary')
  if (!equalBytes(key, utf8ToBytes(itemKey)))
    throw new MerkleProofError(what, 'dictionary item', 'the item has another key')
  return { CLValue: formatPlainClValue(value) }
}

function decodeItem(stored: MerkleProof['storedValue'], what: string): DictionaryItem {
  if (stored.kind !== 'CLValue')
    throw new MerkleProofError(what, 'dictionary item', 'the value is not a dictionary item')
  try {
    return decodeDictionaryItem(stored.value)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new MerkleProofError(what, 'dictionary item', error.rule)
  }
}

/**
 * Asserts that a node's `stored_value` matches the proven value. Needed only before passing the `stored_value` on.
 *
 * `parsed` and other fields that the node adds are neither proven nor compared.
 *
 * @throws {MerkleProofError}
 */
export function assertServedValue(served: unknown, proven: StoredValueJson, what: string): void {
  if (!includes(served, proven))
    throw new MerkleProofError(what, 'stored value', 'the served value differs from the proven value')
}

/** Returns whether `served` has every member of `proven` at every depth, and the same items in lists. */
function includes(served: unknown, proven: unknown): boolean {
  if (Array.isArray(proven))
    return (
      Array.isArray(served) &&
      served.length === proven.length &&
      proven.every((item, index) => includes(served[index], item))
    )
  if (isRecord(proven))
    return (
      isRecord(served) &&
      Object.entries(proven).every(
        ([name, item]) => Object.hasOwn(served, name) && includes(served[name], item),
      )
    )
  return served === proven
}
