import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { type Cursor, createCursor, DecodeError, encodeHex } from '@wattfeed/base'
import { readStoredValue, type StoredValue, type UnknownValue } from '../types/storedValue.ts'

/** A step of a proof, from an element of the trie to the one above it. */
export type ProofStep =
  | {
      kind: 'node'
      /** Index of the pointer, out of 256, that leads to the leaf. The proof omits this pointer. */
      holeIndex: number
      /** The other pointers in ascending order of their index, 34 bytes each: index, tag, hash. */
      pointers: Uint8Array
    }
  | { kind: 'extension'; affix: Uint8Array }

/** A decoded `merkle_proof`. */
export interface MerkleProof {
  /** Serialized key and value, which the leaf's hash covers. */
  leaf: Uint8Array
  storedValue: StoredValue | UnknownValue
  /** Steps from the leaf up to the root. */
  steps: ProofStep[]
}

const POINTER_BYTES = 34

/** Size in bytes of the leading `u32`, which is the number of proofs. */
export const COUNT_BYTES = 4

/**
 * Proofs take 10 to 60 kB: a few nodes of at most 8.7 kB each, and a value. Decoding and hashing 256 kB blocks the event
 * loop for about 10 ms.
 */
const MAX_PROOF_BYTES = 256 * 1024

/**
 * Decodes the `Vec<TrieMerkleProof<Key, StoredValue>>` of a `merkle_proof`.
 *
 * @param keyBytes - the length of the serialized key in bytes
 * @throws {DecodeError} when it is malformed or does not hold exactly one proof.
 */
export function decodeMerkleProof(bytes: Uint8Array, keyBytes: number): MerkleProof {
  const cursor = startProof(bytes)
  cursor.bytes(keyBytes)
  const storedValue = readStoredValue(cursor)
  const rest = cursor.rest()
  const leaf = bytes.subarray(COUNT_BYTES, bytes.length - rest.length)
  return { leaf, storedValue, steps: decodeSteps(rest, keyBytes) }
}

function startProof(bytes: Uint8Array): Cursor {
  if (bytes.length > MAX_PROOF_BYTES)
    throw malformed(`${bytes.length} bytes exceed the limit of ${MAX_PROOF_BYTES}`)
  const cursor = createCursor(bytes, 'merkle_proof')
  const count = cursor.u32()
  if (count !== 1) throw malformed(`expected 1 proof, got ${count}`)
  return cursor
}

/** A key, and the state root at which a proof proves its value. */
export interface ProofTarget {
  /** Serialized. */
  readonly key: Uint8Array
  readonly stateRootHash: string
}

/**
 * Decodes a proof of a value with a part of an unknown kind. The length of the value is unknown, too, but only its true end leads to
 * the state root.
 *
 * @param error - why the value cannot be decoded
 * @throws {DecodeError} the error, if no end of the value leads to the state root.
 */
export function decodeUnknownProof(
  bytes: Uint8Array,
  { key, stateRootHash }: ProofTarget,
  error: DecodeError,
): MerkleProof {
  startProof(bytes)
  for (const proof of divideProof(bytes, key.length, error))
    if (isOnPath(proof.steps, key) && encodeHex(elementsOf(proof).root) === stateRootHash.toLowerCase())
      return proof
  throw error
}

/** More than there are by chance. Each may be hashed. */
const MAX_DIVISIONS = 16

/** Divides the bytes into a value and steps in each way in which the steps can be decoded. */
function* divideProof(bytes: Uint8Array, keyBytes: number, error: DecodeError): Generator<MerkleProof> {
  const valueStart = COUNT_BYTES + keyBytes
  let left = MAX_DIVISIONS
  for (let end = valueStart + 1; end + COUNT_BYTES < bytes.length && left > 0; end++) {
    const steps = startsCount(bytes, end, keyBytes) ? stepsOrNull(bytes.subarray(end), keyBytes) : null
    if (steps === null) continue
    left -= 1
    const value = bytes.subarray(valueStart, end)
    yield {
      leaf: bytes.subarray(COUNT_BYTES, end),
      storedValue: { kind: 'Unknown', bytes: value, error },
      steps,
    }
  }
}

/** Returns whether a `u32` of 1 to `max`, which is below 256, is at an offset. */
const startsCount = (bytes: Uint8Array, at: number, max: number): boolean =>
  bytes[at + 1] === 0 && bytes[at + 2] === 0 && bytes[at + 3] === 0 && (bytes[at] ?? 0) <= max

function stepsOrNull(bytes: Uint8Array, maxSteps: number): ProofStep[] | null {
  try {
    return decodeSteps(bytes, maxSteps)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

function decodeSteps(bytes: Uint8Array, maxSteps: number): ProofStep[] {
  const cursor = createCursor(bytes, 'merkle_proof')
  const steps = readSteps(cursor, maxSteps)
  cursor.end()
  return steps
}

/** Every step consumes at least one byte of the key, so the length of the key limits the number of steps. */
function readSteps(cursor: Cursor, maxSteps: number): ProofStep[] {
  const count = cursor.u32()
  if (count === 0) throw malformed('the proof has no steps')
  if (count > maxSteps) throw malformed(`${count} steps exceed the limit of ${maxSteps}`)
  return Array.from({ length: count }, () => readStep(cursor))
}

function readStep(cursor: Cursor): ProofStep {
  const tag = cursor.u8()
  if (tag === 0) {
    const holeIndex = cursor.u8()
    return { kind: 'node', holeIndex, pointers: readPointers(cursor, holeIndex) }
  }
  if (tag === 1) return { kind: 'extension', affix: cursor.byteList() }
  throw malformed(`unknown step tag ${tag}`)
}

function readPointers(cursor: Cursor, holeIndex: number): Uint8Array {
  const pointers = cursor.bytes(cursor.u32() * POINTER_BYTES)
  let previous = -1
  // By offset, because a proof has hundreds of pointers, and a view of each would cost a tenth of the whole check.
  for (let offset = 0; offset < pointers.length; offset += POINTER_BYTES) {
    const index = pointers[offset] ?? 0
    if (index <= previous || index === holeIndex) throw malformed('the pointers are not in ascending order')
    if ((pointers[offset + 1] ?? 0) > 1) throw malformed('a pointer leads neither to a leaf nor to a node')
    previous = index
  }
  return pointers
}

/** Returns the offset of the first pointer that is not below an index: where the index is, or would be inserted. */
function offsetOf(index: number, pointers: Uint8Array): number {
  let offset = 0
  while ((pointers[offset] ?? index) < index) offset += POINTER_BYTES
  return offset
}

function malformed(rule: string): DecodeError {
  return new DecodeError('merkle_proof', rule)
}

const LEAF_TAG = 0
const NODE_TAG = 1
const EXTENSION_TAG = 2

/** An element of the trie on the path from a value to the state root. */
export interface PathElement {
  hash: Uint8Array
  /** Serialized, as `state_get_trie` returns it. */
  bytes: Uint8Array
}

/** Returns the elements from the leaf up to the root, and the hash of the last, which is the state root. */
export function elementsOf({ leaf, steps }: Pick<MerkleProof, 'leaf' | 'steps'>): {
  elements: PathElement[]
  root: Uint8Array
} {
  let highest = elementOf(concatBytes(Uint8Array.of(LEAF_TAG), leaf))
  const elements = [highest]
  const pointer = new Uint8Array(POINTER_BYTES - 1)
  for (const step of steps) {
    pointer.set(highest.hash, 1)
    highest = elementOf(step.kind === 'node' ? nodeBytes(step, pointer) : extensionBytes(step, pointer))
    elements.push(highest)
    // Only the first step points to a leaf; the pointers of all other steps lead to nodes.
    pointer[0] = 1
  }
  return { elements, root: highest.hash }
}

const elementOf = (bytes: Uint8Array): PathElement => ({ hash: hash(bytes), bytes })

/** Returns whether the steps, read from the root down, follow the bytes of a key. */
export function isOnPath(steps: readonly ProofStep[], key: Uint8Array): boolean {
  let depth = 0
  for (const step of steps.toReversed()) {
    const taken = step.kind === 'node' ? [step.holeIndex] : step.affix
    if (taken.length === 0) return false
    for (const byte of taken) if (key[depth++] !== byte) return false
  }
  return true
}

/** Returns whether a node has a pointer in a slot other than that of the proven key. */
export function hasPointerAt({ pointers }: ProofStep & { kind: 'node' }, slot: number | undefined): boolean {
  return slot !== undefined && pointers[offsetOf(slot, pointers)] === slot
}

/** Encodes a node as 256 × `Option<Pointer>`, with the omitted pointer filled in. */
function nodeBytes({ holeIndex, pointers }: ProofStep & { kind: 'node' }, omitted: Uint8Array): Uint8Array {
  const hole = offsetOf(holeIndex, pointers)
  const filled = concatBytes(
    pointers.subarray(0, hole),
    Uint8Array.of(holeIndex),
    omitted,
    pointers.subarray(hole),
  )
  const count = filled.length / POINTER_BYTES
  const bytes = new Uint8Array(1 + 256 + count * (POINTER_BYTES - 1))
  bytes[0] = NODE_TAG
  for (let nth = 0; nth < count; nth++) {
    const offset = nth * POINTER_BYTES
    // Each slot before it adds one byte, and each pointer its tag and hash.
    const start = 1 + (filled[offset] ?? 0) + offset - nth
    bytes.set(filled.subarray(offset, offset + POINTER_BYTES), start)
    // In place of the index.
    bytes[start] = 1
  }
  return bytes
}

function extensionBytes({ affix }: ProofStep & { kind: 'extension' }, pointer: Uint8Array): Uint8Array {
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, affix.length, true)
  return concatBytes(Uint8Array.of(EXTENSION_TAG), length, affix, pointer)
}

function hash(bytes: Uint8Array): Uint8Array {
  return blake2b(bytes, { dkLen: 32 })
}
