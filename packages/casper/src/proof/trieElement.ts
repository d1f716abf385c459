import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { type Cursor, createByteWriter, createCursor, DecodeError } from '@wattfeed/base'

/** A pointer from an element of the trie to the next. */
export interface Pointer {
  isLeaf: boolean
  /** Hash of the element's bytes. */
  hash: Uint8Array
}

/** An element of the trie: a leaf with a value, a node with up to 256 children, or an extension that shortens a path. */
export type TrieElement =
  | {
      kind: 'leaf'
      /** Serialized key and value. */
      content: Uint8Array
    }
  | {
      kind: 'node'
      /** The pointer of each of the 256 slots; null if the slot is empty. */
      pointers: readonly (Pointer | null)[]
    }
  | { kind: 'extension'; affix: Uint8Array; pointer: Pointer }

const HASH_BYTES = 32
const SLOTS = 256

/** Decodes the bytes of an element, as `state_get_trie` returns them. */
export function decodeTrieElement(bytes: Uint8Array): TrieElement {
  const cursor = createCursor(bytes, 'trie element')
  const element = readElement(cursor)
  cursor.end()
  return element
}

function readElement(cursor: Cursor): TrieElement {
  const tag = cursor.u8()
  if (tag === 0) return { kind: 'leaf', content: cursor.rest() }
  if (tag === 1) return { kind: 'node', pointers: Array.from({ length: SLOTS }, () => readSlot(cursor)) }
  if (tag === 2) return { kind: 'extension', affix: cursor.byteList(), pointer: readPointer(cursor) }
  throw malformed(`unknown tag ${tag}`)
}

function readSlot(cursor: Cursor): Pointer | null {
  const isOccupied = cursor.u8()
  if (isOccupied > 1) throw malformed(`expected slot flag 0 or 1, got ${isOccupied}`)
  return isOccupied === 0 ? null : readPointer(cursor)
}

function readPointer(cursor: Cursor): Pointer {
  const tag = cursor.u8()
  if (tag > 1) throw malformed('a pointer leads neither to a leaf nor to a node')
  return { isLeaf: tag === 0, hash: cursor.bytes(HASH_BYTES) }
}

const malformed = (rule: string): DecodeError => new DecodeError('trie element', rule)

/** Casper hashes longer elements in chunks of this size. */
const CHUNK_BYTES = 8 * 1024 * 1024

/** Returns the hash of an element's bytes, which is in the pointer to the element. */
export function hashTrieElement(bytes: Uint8Array): Uint8Array {
  return bytes.length <= CHUNK_BYTES ? hash(bytes) : hashChunks(bytes)
}

/** Hashes the Merkle root of the chunks. The zeros in front of it make the input longer than any chunk. */
function hashChunks(bytes: Uint8Array): Uint8Array {
  const count = Math.ceil(bytes.length / CHUNK_BYTES)
  let level = Array.from({ length: count }, (_, nth) =>
    hash(bytes.subarray(nth * CHUNK_BYTES, (nth + 1) * CHUNK_BYTES)),
  )
  while (level.length > 1) level = hashPairs(level)
  const [root = new Uint8Array()] = level
  const input = createByteWriter(CHUNK_BYTES + 40)
  return hash(input.bytes(new Uint8Array(CHUNK_BYTES)).u64(BigInt(count)).bytes(root).finish())
}

/** Hashes each pair of neighbors. An odd last hash moves up unchanged. */
function hashPairs(hashes: readonly Uint8Array[]): Uint8Array[] {
  return hashes.flatMap((left, index) => {
    if (index % 2 === 1) return []
    const right = hashes[index + 1]
    return [right === undefined ? left : hash(concatBytes(left, right))]
  })
}

const hash = (bytes: Uint8Array): Uint8Array => blake2b(bytes, { dkLen: HASH_BYTES })
