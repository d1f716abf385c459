import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { DecodeError } from '../../bytes/cursor.ts'
import { decodeDictionaryItem, formatPlainClValue, type PlainClValue } from '../types/clValue.ts'
import { isRecord } from '../types/isRecord.ts'
import { addressOf, dictionaryAddress, dictionaryKey, encodeKey } from '../types/key.ts'
import type { PrintedValue } from '../types/storedValue.ts'
import {
  COUNT_BYTES,
  computeStateRoot,
  decodeMerkleProof,
  isOnPath,
  type MerkleProof,
} from './merkleProof.ts'
import { MerkleProofError, type ProofLink } from './merkleProofError.ts'

export interface MerkleProofRequest {
  /** The hex of `merkle_proof` as the node served it. */
  merkleProof: string
  /** 64 hex digits. */
  stateRootHash: string
  /** The key that was asked for: `hash-…`, `uref-…-007`, `account-hash-…`, `dictionary-…`. */
  key: string
  /** What is stored there, for errors. */
  what: string
}

/**
 * What is stored under a key at a state root, as the node proves it by `merkle_proof`.
 *
 * Use the value that this returns, not the one that was served beside the proof. A proof shows that a value
 * is there; nothing that a Casper node serves shows that a key is absent, so a node can still hide a value.
 *
 * @throws {MerkleProofError} that names the broken link.
 *
 * @example
 * ```ts
 * const { merkle_proof } = result // of query_global_state
 * const stored = verifyMerkleProof({ merkleProof: merkle_proof, stateRootHash, key: 'hash-…', what: 'package' })
 * ```
 */
export function verifyMerkleProof({ key, ...proof }: MerkleProofRequest): PrintedValue {
  return verifyProof({ ...proof, key: encodeKey(key) }).storedValue
}

/** {@link verifyMerkleProof} for a serialized key; returns the whole proof. */
export function verifyProof(request: Omit<MerkleProofRequest, 'key'> & { key: Uint8Array }): MerkleProof {
  const { what, key, stateRootHash } = request
  const refuse = (link: ProofLink, rule: string): never => {
    throw new MerkleProofError(what, link, rule)
  }
  const proof = decode(request, refuse)
  if (!isOnPath(proof.steps, key)) refuse('path', 'its steps do not lead to the key')
  const root = bytesToHex(computeStateRoot(proof))
  if (root !== stateRootHash.toLowerCase()) refuse('state root', `the proof leads to ${root}`)
  return proof
}

function decode(
  { merkleProof, key }: { merkleProof: string; key: Uint8Array },
  refuse: (link: ProofLink, rule: string) => never,
): MerkleProof {
  try {
    const bytes = parseHex(merkleProof)
    // Before anything else: a value that is read after a key of another length makes no sense.
    if (!startsWith(bytes.subarray(COUNT_BYTES), key)) refuse('key', 'the proof is for another key')
    return decodeMerkleProof(bytes, key.length)
  } catch (error) {
    if (error instanceof DecodeError) return refuse('encoding', error.message)
    throw error
  }
}

/** The library's, because a proof has some 15,000 digits: it is native where the runtime has one. */
function parseHex(hex: string): Uint8Array {
  try {
    return hexToBytes(hex)
  } catch {
    throw new DecodeError('merkle_proof', 'it is not hex')
  }
}

/** Bytes that end early are not judged here. */
function startsWith(bytes: Uint8Array, key: Uint8Array): boolean {
  return bytes.length < key.length || key.every((byte, index) => byte === bytes[index])
}

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

/**
 * Asserts that a `stored_value` that a node served says what was proven.
 *
 * Only who shows the served value to others needs this: whoever reads uses the proven one. `parsed` and
 * whatever else the node adds is not proven and not compared.
 *
 * @throws {MerkleProofError}
 *
 * @example
 * ```ts
 * const proven = verifyMerkleProof({ merkleProof, stateRootHash, key, what })
 * assertServedValue(result.stored_value, proven, what)
 * ```
 */
export function assertServedValue(served: unknown, proven: PrintedValue, what: string): void {
  if (!includes(served, proven))
    throw new MerkleProofError(what, 'stored value', 'the value beside the proof is another one')
}

/** Whether `served` has every member of `proven`, at every depth, and lists have the same items. */
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
