import { equalBytes } from '@noble/curves/utils.js'
import { createCursor, DecodeError, decodeHex } from '@wattfeed/base'
import { encodeKey, hasFixedLength, readKey } from '../types/keyKinds.ts'
import { COUNT_BYTES, hasPointerAt, type ProofStep } from './merkleProof.ts'
import { MerkleProofError, type ProofLink } from './merkleProofError.ts'
import { isAt, startWalk, takeElement } from './trieWalk.ts'
import { verifyProof } from './verifyMerkleProof.ts'

/**
 * The result that evidence proves for a key at a state root: no value is stored, a value is stored, or the evidence does not decide
 * it.
 */
export type AbsenceVerdict = 'absent' | 'present' | 'not shown'

/** Evidence about a key: the Merkle proof of any key, or the trie's elements on the path to the key. */
export type AbsenceEvidence =
  | {
      /** A node's `merkle_proof`, in hex. */
      merkleProof: string
    }
  | {
      /** The result of `state_get_trie`, in hex: the element of the state root first, then one for each pointer. */
      trieElements: readonly string[]
    }

/** The key that evidence is about, and the evidence. */
export interface AbsenceRequest {
  /** The key: `hash-…`, `uref-…-007`, `account-hash-…`, `dictionary-…`. */
  key: string
  stateRootHash: string
  evidence: AbsenceEvidence
  /** Names the value in errors. */
  what: string
}

/**
 * Decides from evidence whether a value is stored under a key at a state root.
 *
 * A trie's node has 256 slots, and its hash covers all of them. So the proof of one key also shows which slots are empty.
 * A key is absent if its way down the trie ends at an empty slot, in an extension with other bytes, or at the leaf of
 * another key.
 *
 * Evidence that leaves the way at an occupied slot shows nothing, and so does all evidence about a key whose kind has
 * several lengths.
 *
 * @throws {MerkleProofError} with the broken link when the evidence is invalid.
 */
export function verifyAbsence({ key: text, evidence, ...request }: AbsenceRequest): AbsenceVerdict {
  const key = encodeKey(text)
  if (!hasFixedLength(key)) return 'not shown'
  return 'merkleProof' in evidence
    ? decideByProof({ ...request, key, merkleProof: evidence.merkleProof })
    : decideByElements({ ...request, key, elements: evidence.trieElements })
}

interface Decision {
  key: Uint8Array
  stateRootHash: string
  what: string
}

function decideByProof({ key, ...request }: Decision & { merkleProof: string }): AbsenceVerdict {
  const provenKey = naming(request.what, 'encoding', () => keyOfProof(request.merkleProof))
  const { steps } = verifyProof({ ...request, key: provenKey })
  return equalBytes(key, provenKey) ? 'present' : leaveSteps(steps, key)
}

/** Reads the key that a Merkle proof is for. */
function keyOfProof(merkleProof: string): Uint8Array {
  const cursor = createCursor(decodeHex(merkleProof, 'merkle_proof'), 'merkle_proof')
  cursor.bytes(COUNT_BYTES)
  return readKey(cursor)
}

/** Follows a key down the steps of another key's proof. The last step leads to the leaf of the other key. */
function leaveSteps(steps: readonly ProofStep[], key: Uint8Array): AbsenceVerdict {
  let depth = 0
  for (const step of steps.toReversed()) {
    if (step.kind === 'extension') {
      if (!isAt(step.affix, key, depth)) return 'absent'
      depth += step.affix.length
    } else {
      const slot = key[depth++]
      if (slot !== step.holeIndex) return hasPointerAt(step, slot) ? 'not shown' : 'absent'
    }
  }
  return 'absent'
}

/** Limit for all elements together. Only a leaf can be longer than 8.8 kB. */
const MAX_ELEMENTS_BYTES = 16 * 1024 * 1024

function decideByElements(request: Decision & { elements: readonly string[] }): AbsenceVerdict {
  const { key, elements, stateRootHash, what } = request
  assertBounds(elements, key, what)
  let place = startWalk(decodeHex(stateRootHash, 'state root'))
  for (const [nth, text] of elements.entries()) {
    const link = `element ${nth}`
    const next = naming(what, 'trie element', () => takeElement(place, decodeHex(text, link), key), link)
    if (typeof next === 'object') place = next
    else if (nth + 1 === elements.length) return next
    else throw brokenPath(what, `element ${nth + 1}: the path ends before this element`)
  }
  throw brokenPath(what, `element ${elements.length} is missing`)
}

function assertBounds(elements: readonly string[], key: Uint8Array, what: string): void {
  const bytes = elements.reduce((sum, { length }) => sum + length / 2, 0)
  if (bytes > MAX_ELEMENTS_BYTES)
    throw brokenPath(what, `${bytes} bytes exceed the limit of ${MAX_ELEMENTS_BYTES}`)
  // Each element above the leaf takes at least one byte of the key.
  const most = key.length + 1
  if (elements.length > most)
    throw brokenPath(what, `${elements.length} elements exceed the limit of ${most}`)
}

const brokenPath = (what: string, rule: string): MerkleProofError =>
  new MerkleProofError(what, 'trie element', rule)

/** Adds the link to the error of a decoder. */
function naming<T>(what: string, link: ProofLink, decode: () => T, part?: string): T {
  try {
    return decode()
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new MerkleProofError(what, link, part === undefined ? error.message : `${part}: ${error.rule}`)
  }
}
