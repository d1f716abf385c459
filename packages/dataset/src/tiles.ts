import { DatasetError } from './errors.ts'
import { HASH_BYTES, hashNode, largestPowerBelow, rootOf } from './merkleTree.ts'

/** Number of hashes in a full tile, and of leaves in a full bundle, by C2SP tlog-tiles. */
export const TILE_WIDTH = 256

const TILE_HEIGHT = 8

/** Reads a tile: the hashes of the complete subtrees with 256^level leaves each, as many as the tile has. */
export type ReadTile = (level: number, number: number, width: number) => Promise<Uint8Array>

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

/** Splits a tile into its hashes. @throws {DatasetError} unless it has as many. */
function splitTile(bytes: Uint8Array, width: number, what: string): Uint8Array[] {
  if (bytes.length !== width * HASH_BYTES)
    throw new DatasetError({ what, rule: `expected ${width} hashes of ${HASH_BYTES} bytes` })
  return Array.from({ length: width }, (_, index) =>
    bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  )
}

/** Reads the Merkle path of a leaf: the hashes beside its way to the root, from the leaf, by RFC 6962, section 2.1.1. */
export function readMerklePath(index: number, size: number, readTile: ReadTile): Promise<Uint8Array[]> {
  // Most hashes of a path are in the same few tiles.
  const tiles = new Map<string, Promise<Uint8Array>>()

  async function hashesOf(level: number, number: number): Promise<Uint8Array[]> {
    const width = tileWidth(number, countAtLevel(size, level))
    const path = tilePath(level, number, width)
    const tile = tiles.get(path) ?? readTile(level, number, width)
    tiles.set(path, tile)
    return splitTile(await tile, width, path)
  }

  async function nodeHash(start: number, height: number): Promise<Uint8Array> {
    const level = Math.floor(height / TILE_HEIGHT)
    const first = start / TILE_WIDTH ** level
    const hashes = await hashesOf(level, Math.floor(first / TILE_WIDTH))
    const offset = first % TILE_WIDTH
    return rootOf(hashes.slice(offset, offset + 2 ** (height % TILE_HEIGHT)))
  }

  async function subtreeHash(start: number, end: number): Promise<Uint8Array> {
    const height = Math.log2(end - start)
    if (Number.isInteger(height)) return nodeHash(start, height)
    const middle = start + largestPowerBelow(end - start)
    return hashNode(await subtreeHash(start, middle), await subtreeHash(middle, end))
  }

  async function pathIn(start: number, end: number): Promise<Uint8Array[]> {
    if (end - start === 1) return []
    const middle = start + largestPowerBelow(end - start)
    return index < middle
      ? [...(await pathIn(start, middle)), await subtreeHash(middle, end)]
      : [...(await pathIn(middle, end)), await subtreeHash(start, middle)]
  }

  return pathIn(0, size)
}
