import { type Cursor, createCursor, DecodeError } from '../../bytes/cursor.ts'
import { type PrintedValue, printStoredValue } from '../types/storedValue.ts'

/** One level of the trie above the leaf. */
export type ProofStep =
  | {
      kind: 'node'
      /** Which of the 256 pointers leads to the leaf; the proof leaves it out. */
      holeIndex: number
      /** The other pointers by ascending index, 34 bytes each: index, tag, hash. */
      pointers: Uint8Array
    }
  | { kind: 'extension'; affix: Uint8Array }

/** A decoded `TrieMerkleProof`. */
export interface MerkleProof {
  /** Serialized key and value, as the leaf's hash covers them. */
  leaf: Uint8Array
  storedValue: PrintedValue
  /** From the leaf up to the root. */
  steps: ProofStep[]
}

export const POINTER_BYTES = 34

/** Of the `u32` that a proof begins with: how many proofs follow. */
export const COUNT_BYTES = 4

/**
 * What a reader asks for has 10 to 60 kB: a few nodes of at most 8.7 kB, and a value. Larger proofs are refused:
 * decoding and hashing hold the event loop, and this many bytes do so for some 10 ms.
 */
const MAX_PROOF_BYTES = 256 * 1024

/**
 * Decodes the `Vec<TrieMerkleProof<Key, StoredValue>>` of a `merkle_proof`, which must hold one proof and
 * nothing else.
 *
 * `keyBytes` is the length of the serialized key, which the caller knows.
 *
 * @throws {DecodeError} on anything else.
 */
export function decodeMerkleProof(bytes: Uint8Array, keyBytes: number): MerkleProof {
  if (bytes.length > MAX_PROOF_BYTES) throw malformed(`it is longer than ${MAX_PROOF_BYTES} bytes`)
  const cursor = createCursor(bytes, 'merkle_proof')
  const count = cursor.u32()
  if (count !== 1) throw malformed(`${count} proofs where one was asked for`)
  cursor.bytes(keyBytes)
  const storedValue = printStoredValue(cursor)
  const rest = cursor.rest()
  const steps = createCursor(rest, 'merkle_proof')
  const decoded = readSteps(steps, keyBytes)
  steps.end()
  return { leaf: bytes.subarray(COUNT_BYTES, bytes.length - rest.length), storedValue, steps: decoded }
}

/** The root is never a leaf, and every step takes at least one byte of the key, so a key bounds its proof. */
function readSteps(cursor: Cursor, maxSteps: number): ProofStep[] {
  const count = cursor.u32()
  if (count === 0) throw malformed('it has no steps')
  if (count > maxSteps) throw malformed(`${count} steps where ${maxSteps} are the most`)
  return Array.from({ length: count }, () => readStep(cursor))
}

function readStep(cursor: Cursor): ProofStep {
  const tag = cursor.u8()
  if (tag === 0) {
    const holeIndex = cursor.u8()
    return { kind: 'node', holeIndex, pointers: readPointers(cursor, holeIndex) }
  }
  if (tag === 1) return { kind: 'extension', affix: cursor.bytes(cursor.u32()) }
  throw malformed(`step tag ${tag} is unknown`)
}

function readPointers(cursor: Cursor, holeIndex: number): Uint8Array {
  const pointers = cursor.bytes(cursor.u32() * POINTER_BYTES)
  let previous = -1
  for (let offset = 0; offset < pointers.length; offset += POINTER_BYTES) {
    const index = pointers[offset] ?? 0
    if (index <= previous || index === holeIndex) throw malformed('its pointers are not in order')
    if ((pointers[offset + 1] ?? 0) > 1) throw malformed('a pointer is neither to a leaf nor to a node')
    previous = index
  }
  return pointers
}

function malformed(rule: string): DecodeError {
  return new DecodeError('merkle_proof', rule)
}
