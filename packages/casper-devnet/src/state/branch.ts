import {
  type Branch,
  CHUNK_SIZE,
  type Chunk,
  POINTER_BYTES,
  type TrieNode,
  writePointer,
} from './trieNode.ts'

export interface Replacement {
  readonly byte: number
  readonly node: TrieNode | null
}

const HASH_BYTES = 32
/** Before each pointer, and in place of one that is absent. */
const OPTION_TAG_BYTES = 1

const emptyChunk: Chunk = {
  nodes: Array<null>(CHUNK_SIZE).fill(null),
  bytes: new Uint8Array(CHUNK_SIZE),
}

export const emptyBranch: Branch = {
  kind: 'branch',
  chunks: Array<Chunk>(256 / CHUNK_SIZE).fill(emptyChunk),
  size: 0,
}

export function childAt({ chunks }: Branch, byte: number): TrieNode | null {
  return chunks[chunkOf(byte)]?.nodes[byte % CHUNK_SIZE] ?? null
}

export function anyChild({ chunks }: Branch): { byte: number; node: TrieNode } | null {
  for (const [nth, { nodes }] of chunks.entries())
    for (const [slot, node] of nodes.entries())
      if (node !== null) return { byte: nth * CHUNK_SIZE + slot, node }
  return null
}

export function* hashedChildren({ chunks }: Branch): Generator<{ node: TrieNode; hash: Uint8Array }> {
  for (const { nodes, bytes } of chunks) {
    let end = 0
    for (const node of nodes) {
      end += OPTION_TAG_BYTES
      if (node === null) continue
      end += POINTER_BYTES
      yield { node, hash: bytes.subarray(end - HASH_BYTES, end) }
    }
  }
}

/** Serializes all pointers except the one at `holeIndex` for a Merkle proof: each is preceded by its index. */
export function serializePointers({ chunks, size }: Branch, holeIndex: number): Uint8Array {
  const pointers = new Uint8Array((size - 1) * (1 + POINTER_BYTES))
  let to = 0
  for (const [nth, { nodes, bytes }] of chunks.entries()) {
    let from = 0
    for (const [slot, node] of nodes.entries()) {
      from += OPTION_TAG_BYTES
      if (node === null) continue
      const index = nth * CHUNK_SIZE + slot
      if (index !== holeIndex) {
        pointers[to++] = index
        to = copyPointer(bytes, from, pointers, to)
      }
      from += POINTER_BYTES
    }
  }
  return pointers
}

/** Returns a branch with these children in place of the old ones; a null node removes a child. Unchanged chunks are shared. */
export function replaceChildren(old: Branch, replacements: readonly Replacement[]): Branch {
  const changed: (TrieNode | null)[][] = []
  let { size } = old
  for (const { byte, node } of replacements) {
    const nth = chunkOf(byte)
    const nodes = changed[nth] ?? (old.chunks[nth] ?? emptyChunk).nodes.slice()
    size += Number(node !== null) - Number(nodes[byte % CHUNK_SIZE] !== null)
    nodes[byte % CHUNK_SIZE] = node
    changed[nth] = nodes
  }
  const chunks = old.chunks.map((chunk, nth) => {
    const nodes = changed[nth]
    return nodes === undefined ? chunk : createChunk(nodes, chunk)
  })
  return { kind: 'branch', chunks, size }
}

/** Creates a chunk. Only new nodes are hashed; the pointers to the others are copied. */
function createChunk(nodes: readonly (TrieNode | null)[], old: Chunk): Chunk {
  const bytes = new Uint8Array(CHUNK_SIZE + countNodes(nodes) * POINTER_BYTES)
  let from = 0
  let to = 0
  // No iterator, because it would allocate an array for each node.
  for (let slot = 0; slot < CHUNK_SIZE; slot++) {
    const node = nodes[slot] ?? null
    const before = old.nodes[slot] ?? null
    bytes[to++] = Number(node !== null)
    from += OPTION_TAG_BYTES
    if (node !== null && node === before) to = copyPointer(old.bytes, from, bytes, to)
    else if (node !== null) to = writePointer(bytes, to, node)
    from += before === null ? 0 : POINTER_BYTES
  }
  return { nodes, bytes }
}

function countNodes(nodes: readonly (TrieNode | null)[]): number {
  let count = 0
  for (const node of nodes) if (node !== null) count++
  return count
}

/** Copies a pointer and returns its end. Copying byte by byte is faster than creating a view. */
function copyPointer(source: Uint8Array, from: number, target: Uint8Array, to: number): number {
  for (let nth = 0; nth < POINTER_BYTES; nth++) target[to + nth] = source[from + nth] ?? 0
  return to + POINTER_BYTES
}

function chunkOf(byte: number): number {
  return Math.floor(byte / CHUNK_SIZE)
}
