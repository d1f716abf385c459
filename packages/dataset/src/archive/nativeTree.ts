import { hash } from 'node:crypto'
import { HASH_BYTES, rootOf } from '../merkleTree.ts'
import { TILE_WIDTH } from '../tiles.ts'

/** The hashes of a tree: those of its leaves, and of the complete subtrees with 256 leaves, 256 of these, and so on. */
export interface NativeTree {
  readonly levels: readonly Uint8Array[]
  readonly root: Uint8Array
}

/** Hashes a leaf with the runtime's SHA-256, which is several times as fast as that of browsers. */
export const hashLeafNatively = (leaf: Uint8Array): Uint8Array =>
  hash('sha256', Buffer.concat([Uint8Array.of(0), leaf]), 'buffer')

/** How many tiles are hashed before other work of the process goes on: some milliseconds. */
const TILES_AT_ONCE = 16

/** Computes the tree of these leaf hashes. There is at least one. */
export async function nativeTreeOf(leaves: Uint8Array): Promise<NativeTree> {
  const levels = [leaves]
  let level = leaves
  while (level.length >= TILE_WIDTH * HASH_BYTES) {
    const count = Math.floor(level.length / HASH_BYTES / TILE_WIDTH)
    const above = new Uint8Array(count * HASH_BYTES)
    for (let number = 0; number < count; number++) {
      above.set(subtreeOf(level, number), number * HASH_BYTES)
      if (number % TILES_AT_ONCE === 0) await new Promise(setImmediate)
    }
    levels.push(above)
    level = above
  }
  let rest: Uint8Array | null = null
  for (const each of levels) {
    const full = Math.floor(each.length / HASH_BYTES / TILE_WIDTH) * TILE_WIDTH
    const hashes = Array.from({ length: each.length / HASH_BYTES - full }, (_, at) => hashAt(each, full + at))
    const all: Uint8Array[] = rest === null ? hashes : [...hashes, rest]
    if (all.length > 0) rest = rootOf(all)
  }
  return { levels, root: rest ?? hashAt(leaves, 0) }
}

const hashAt = (hashes: Uint8Array, at: number): Uint8Array =>
  hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)

function subtreeOf(level: Uint8Array, number: number): Uint8Array {
  const nodes = level.slice(number * TILE_WIDTH * HASH_BYTES, (number + 1) * TILE_WIDTH * HASH_BYTES)
  const pair = new Uint8Array(1 + 2 * HASH_BYTES)
  pair[0] = 1
  for (let width = TILE_WIDTH / 2; width >= 1; width /= 2)
    for (let at = 0; at < width; at++) {
      pair.set(nodes.subarray(2 * at * HASH_BYTES, 2 * (at + 1) * HASH_BYTES), 1)
      nodes.set(hash('sha256', pair, 'buffer'), at * HASH_BYTES)
    }
  return nodes.subarray(0, HASH_BYTES)
}
