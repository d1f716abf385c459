import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { DecodeError } from '../../bytes/cursor.ts'
import { encodeKey } from '../types/key.ts'
import type { PrintedValue } from '../types/storedValue.ts'
import { COUNT_BYTES, decodeMerkleProof, type MerkleProof } from './merkleProof.ts'
import { MerkleProofError, type ProofLink } from './merkleProofError.ts'
import { computeStateRoot, isOnPath } from './stateRoot.ts'

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
