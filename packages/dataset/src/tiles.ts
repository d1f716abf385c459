import { DatasetError } from './errors.ts'
import { HASH_BYTES, hashNode, largestPowerBelow, nodesBeside, nodesOfPath, type Run } from './merkleTree.ts'

/** Number of hashes in a full tile, and of leaves in a full bundle, by C2SP tlog-tiles. */
export const TILE_WIDTH = 256

const TILE_HEIGHT = 8

/** Reads a tile: the hashes of the complete subtrees with 256^level leaves each, as many as the tile has. */
export type ReadTile = (level: number, number: number, width: number) => Promise<Tile>

/** The path of a tile or, with the level `entries`, of a bundle of leaves: `tile/0/x001/x234/067`, `tile/0/000.p/12`. */
export function tilePath(level: number | 'entries', number: number, width: number): string {
  const digits = String(number)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.{3}/g) ?? []
  const name = groups.map((group, index) => (index === groups.length - 1 ? group : `x${group}`)).join('/')
  return `tile/${level}/${name}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

/** How many entries the tile with this number has, at a level with this many in all. */
export const tileWidth = (number: number, count: number): number =>
  Math.min(TILE_WIDTH, count - number * TILE_WIDTH)

/** How many complete subtrees with 256^level leaves a tree has. */
export const countAtLevel = (size: number, level: number): number => Math.floor(size / TILE_WIDTH ** level)

/** The hashes of a tile, and those of the nodes above them, each computed once. */
export class Tile {
  readonly #bytes: Uint8Array
  readonly #nodes = new Map<number, Uint8Array>()

  /** @throws {DatasetError} unless it has as many hashes. */
  constructor(bytes: Uint8Array, width: number, what: string) {
    if (bytes.length !== width * HASH_BYTES)
      throw new DatasetError({ what, rule: `expected ${width} hashes of ${HASH_BYTES} bytes` })
    this.#bytes = bytes
  }

  /** Returns the root of 2^height hashes, all of this tile, from a multiple of their number on. */
  hashAt(offset: number, height: number): Uint8Array {
    if (height === 0) return this.#bytes.subarray(offset * HASH_BYTES, (offset + 1) * HASH_BYTES)
    const half = 2 ** (height - 1)
    // Each node has a number of its own, as in a heap.
    const node = (TILE_WIDTH + offset) / 2 ** height
    const hash =
      this.#nodes.get(node) ??
      hashNode(this.hashAt(offset, height - 1), this.hashAt(offset + half, height - 1))
    this.#nodes.set(node, hash)
    return hash
  }
}

/** Returns what reads the hash of the subtree over the leaves from `start` to before `end`, where a tree of this size has such a node. */
function subtreesOf(size: number, readTile: ReadTile) {
  async function nodeHash(start: number, height: number): Promise<Uint8Array> {
    const level = Math.floor(height / TILE_HEIGHT)
    const first = start / TILE_WIDTH ** level
    const number = Math.floor(first / TILE_WIDTH)
    const tile = await readTile(level, number, tileWidth(number, countAtLevel(size, level)))
    return tile.hashAt(first % TILE_WIDTH, height % TILE_HEIGHT)
  }

  return async function subtreeHash(start: number, end: number): Promise<Uint8Array> {
    const height = Math.log2(end - start)
    if (Number.isInteger(height)) return nodeHash(start, height)
    const middle = start + largestPowerBelow(end - start)
    return hashNode(await subtreeHash(start, middle), await subtreeHash(middle, end))
  }
}

/** Reads the Merkle path of a leaf: the hashes beside its way to the root, from the leaf, by RFC 6962, section 2.1.1. */
export function readMerklePath(index: number, size: number, readTile: ReadTile): Promise<Uint8Array[]> {
  const subtreeHash = subtreesOf(size, readTile)
  return Promise.all(nodesOfPath(index, size).map(({ start, end }) => subtreeHash(start, end)))
}

/** Reads the hashes beside a run of leaves, from left to right: those that {@link rootOfRun} needs. */
export function readHashesBeside(run: Run, size: number, readTile: ReadTile): Promise<Uint8Array[]> {
  const subtreeHash = subtreesOf(size, readTile)
  return Promise.all(nodesBeside(run, size).map(({ start, end }) => subtreeHash(start, end)))
}
