/**
 * A node of casper-node's trie for global state: radix 256, hashed with BLAKE2b-256.
 *
 * Nodes do not store their hash. It is computed once, when the pointer to the node is written.
 */
export type TrieNode = Leaf | Branch | Extension

export interface Leaf {
  readonly kind: 'leaf'
  /** Input of the hash: a tag, the serialized key, the serialized value. */
  readonly bytes: Uint8Array
  /** Length of the serialized key. */
  readonly keyBytes: number
}

/**
 * A `Node` of the trie with up to 256 children. Only the root can have fewer than two.
 *
 * Children are stored in chunks. A changed branch shares the unchanged chunks with its old version, so that old roots need
 * little memory.
 */
export interface Branch {
  readonly kind: 'branch'
  readonly chunks: readonly Chunk[]
  readonly size: number
}

/**
 * Children in a chunk. A change copies the list of chunks and one of them, and an old root keeps both: with 8, 32 references and at
 * most 272 bytes. Larger chunks have more bytes, smaller ones more references.
 */
export const CHUNK_SIZE = 8

/** {@link CHUNK_SIZE} children. */
export interface Chunk {
  readonly nodes: readonly (TrieNode | null)[]
  /** Input of the hash: an `Option<Pointer>` for each node. */
  readonly bytes: Uint8Array
}

/** Bytes that all keys under a branch share. The child is never a leaf. */
export interface Extension {
  readonly kind: 'extension'
  readonly affix: Uint8Array
  readonly child: Branch
}

const LEAF_TAG = 0
const NODE_TAG = 1
const EXTENSION_TAG = 2

/** Length of a `Pointer` in bytes: a tag for leaf or node, and a hash. */
export const POINTER_BYTES = 33

/** Reused buffer for hashing branches. */
const branchBytes = new Uint8Array(1 + 256 * (1 + POINTER_BYTES))

export function createLeaf(key: Uint8Array, value: Uint8Array): Leaf {
  const bytes = new Uint8Array(1 + key.length + value.length)
  bytes[0] = LEAF_TAG
  bytes.set(key, 1)
  bytes.set(value, 1 + key.length)
  return { kind: 'leaf', bytes, keyBytes: key.length }
}

/** Writes the pointer to a node at an offset and returns its end. */
export function writePointer(bytes: Uint8Array, offset: number, node: TrieNode): number {
  bytes[offset] = node.kind === 'leaf' ? 0 : 1
  bytes.set(hashNode(node), offset + 1)
  return offset + POINTER_BYTES
}

export function hashNode(node: TrieNode): Uint8Array {
  return Bun.CryptoHasher.hash('blake2b256', serializeNode(node))
}

/** Serializes a node. The bytes are valid until the next call. */
export function serializeNode(node: TrieNode): Uint8Array {
  if (node.kind === 'leaf') return node.bytes
  return node.kind === 'branch' ? serializeBranch(node) : serializeExtension(node)
}

/** Serializes a branch: a tag, then 256 × `Option<Pointer>`. */
function serializeBranch({ chunks }: Branch): Uint8Array {
  branchBytes[0] = NODE_TAG
  let length = 1
  for (const { bytes } of chunks) {
    branchBytes.set(bytes, length)
    length += bytes.length
  }
  return branchBytes.subarray(0, length)
}

function serializeExtension({ affix, child }: Extension): Uint8Array {
  const bytes = new Uint8Array(1 + 4 + affix.length + POINTER_BYTES)
  bytes[0] = EXTENSION_TAG
  new DataView(bytes.buffer).setUint32(1, affix.length, true)
  bytes.set(affix, 5)
  writePointer(bytes, 5 + affix.length, child)
  return bytes
}
