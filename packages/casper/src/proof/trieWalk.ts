import { equalBytes } from '@noble/curves/utils.js'
import { DecodeError } from '@wattfeed/base'
import { decodeTrieElement, hashTrieElement, type Pointer, type TrieElement } from './trieElement.ts'

/** A place on the path from a state root down to a key. */
export interface TriePlace {
  /** Leads to the next element. */
  pointer: Pointer
  /** Number of bytes of the key that led here. */
  depth: number
}

/** Returns the place where a walk down the trie starts: the state root. */
export function startWalk(stateRootHash: Uint8Array): TriePlace {
  return { pointer: { isLeaf: false, hash: stateRootHash }, depth: 0 }
}

/**
 * Takes the next element on the path to a key of fixed length. Returns the next place, or the verdict at the end of the path.
 *
 * @throws {DecodeError} when the bytes are not that element, or contradict the path so far.
 */
export function takeElement(
  place: TriePlace,
  bytes: Uint8Array,
  key: Uint8Array,
): TriePlace | 'absent' | 'present' {
  if (!equalBytes(hashTrieElement(bytes), place.pointer.hash))
    throw broken('the hash does not match the pointer')
  return followElement(place, decodeTrieElement(bytes), key)
}

/**
 * Takes an element whose hash was checked, on the path to a key. Returns the next place, or the verdict at the end of the path.
 */
export function followElement(
  { pointer, depth }: TriePlace,
  element: TrieElement,
  key: Uint8Array,
): TriePlace | 'absent' | 'present' {
  if (pointer.isLeaf !== (element.kind === 'leaf')) throw broken('the kind does not match the pointer')
  if (element.kind === 'leaf') return compareLeaf(element.content, key, depth)
  if (depth >= key.length) throw broken('the path is longer than the key')
  if (element.kind === 'node') {
    const next = element.pointers[key[depth] ?? 0] ?? null
    return next === null ? 'absent' : { pointer: next, depth: depth + 1 }
  }
  const { affix, pointer: next } = element
  if (affix.length === 0) throw broken('the extension has no bytes')
  return isAt(affix, key, depth) ? { pointer: next, depth: depth + affix.length } : 'absent'
}

/** A leaf's key has the same kind as the key, and so the same length. */
function compareLeaf(content: Uint8Array, key: Uint8Array, depth: number): 'absent' | 'present' {
  if (content.length < key.length) throw broken('the leaf is shorter than its key')
  const leafKey = content.subarray(0, key.length)
  if (!isAt(leafKey.subarray(0, depth), key, 0)) throw broken('the leaf is not on the path of its key')
  return equalBytes(leafKey, key) ? 'present' : 'absent'
}

export function isAt(bytes: Uint8Array, key: Uint8Array, offset: number): boolean {
  return bytes.every((byte, index) => byte === key[offset + index])
}

const broken = (rule: string): DecodeError => new DecodeError('trie element', rule)
