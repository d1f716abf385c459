import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { type MerkleProof, POINTER_BYTES, type ProofStep } from './merkleProof.ts'

const LEAF_TAG = 0
const NODE_TAG = 1
const EXTENSION_TAG = 2

/** The 32 bytes of the state root hash that a proof leads to. */
export function computeStateRoot({ leaf, steps }: Pick<MerkleProof, 'leaf' | 'steps'>): Uint8Array {
  const pointer = new Uint8Array(33)
  pointer.set(hash(concatBytes(Uint8Array.of(LEAF_TAG), leaf)), 1)
  for (const step of steps) {
    pointer.set(hash(step.kind === 'node' ? nodeBytes(step, pointer) : extensionBytes(step, pointer)), 1)
    // Only the first step points to a leaf.
    pointer[0] = 1
  }
  return pointer.slice(1)
}

/** Whether the steps, from the root down, are the way to a key. */
export function isOnPath(steps: readonly ProofStep[], key: Uint8Array): boolean {
  let depth = 0
  for (const step of steps.toReversed()) {
    const taken = step.kind === 'node' ? [step.holeIndex] : step.affix
    if (taken.length === 0) return false
    for (const byte of taken) if (key[depth++] !== byte) return false
  }
  return true
}

/** 256 × `Option<Pointer>`, with the hole filled. */
function nodeBytes(step: ProofStep & { kind: 'node' }, pointer: Uint8Array): Uint8Array {
  const { holeIndex, pointers } = step
  const count = pointers.length / POINTER_BYTES
  const bytes = new Uint8Array(1 + 256 + (count + 1) * (POINTER_BYTES - 1))
  bytes[0] = NODE_TAG
  let written = 0
  const put = (index: number, source: Uint8Array): void => {
    const start = 1 + index + (POINTER_BYTES - 1) * written++
    bytes[start] = 1
    bytes.set(source, start + 1)
  }
  let offset = 0
  for (; offset < pointers.length && (pointers[offset] ?? 0) < holeIndex; offset += POINTER_BYTES)
    put(pointers[offset] ?? 0, pointers.subarray(offset + 1, offset + POINTER_BYTES))
  put(holeIndex, pointer)
  for (; offset < pointers.length; offset += POINTER_BYTES)
    put(pointers[offset] ?? 0, pointers.subarray(offset + 1, offset + POINTER_BYTES))
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
