import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { decodeHex } from '@wattfeed/base'
import { compareBytes } from '../bytes.ts'
import { DatasetError } from '../errors.ts'
import { MANIFEST, type Manifest } from '../manifest.ts'
import { HASH_BYTES } from '../merkleTree.ts'
import { readBundle } from '../snapshot.ts'
import { readFile, type SnapshotFiles } from '../snapshotFiles.ts'
import { countAtLevel, TILE_WIDTH, tilePath, tileWidth } from '../tiles.ts'

/** Files that are read at once. */
const AT_ONCE = 8

/** Returns the SHA-256 of some bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array

interface CheckedFiles {
  readonly files: SnapshotFiles
  readonly size: number
  readonly sha256: Sha256
}

/**
 * Leaves of a snapshot, each checked with the root. The roots of all bundles stay in memory, an eighth of a byte for each leaf. A tile
 * that was checked is known by its hash later, because 255 hashes take longer than one.
 */
export class CheckedLeaves {
  readonly #checked: CheckedFiles
  /** The root of each bundle. */
  readonly #roots: readonly Uint8Array[]
  /** The hash of each tile of the lowest level that was checked, by its number. */
  readonly #known = new Map<number, Uint8Array>()

  private constructor(checked: CheckedFiles, roots: readonly Uint8Array[]) {
    this.#checked = checked
    this.#roots = roots
  }

  /** Reads the roots of all bundles, and checks them with that of the manifest. @throws {DatasetError} */
  static async open(
    files: SnapshotFiles,
    { root, size }: Manifest,
    hash: Sha256 = sha256,
  ): Promise<CheckedLeaves> {
    const full = countAtLevel(size, 1)
    const roots: Uint8Array[] = []
    for (let number = 0; number * TILE_WIDTH < full; number++)
      roots.push(...(await readTile(files, 1, number, full)))
    if (size % TILE_WIDTH > 0) roots.push(fold(await readTile(files, 0, full, size), hash))
    if (compareBytes(fold(roots, hash), decodeHex(root, MANIFEST)) !== 0)
      throw new DatasetError({ what: 'tile', rule: 'the roots of its bundles do not lead to the root' })
    return new CheckedLeaves({ files, size, sha256: hash }, roots)
  }

  /**
   * Reads the bytes of leaves, by their index. They are part of a larger file, which `use` must not keep in memory.
   *
   * @throws {DatasetError} if a file is wrong.
   */
  async read(indices: Iterable<number>, use: (index: number, leaf: Uint8Array) => void): Promise<void> {
    const bundles = [...Map.groupBy(indices, (index) => Math.floor(index / TILE_WIDTH))]
    for (let at = 0; at < bundles.length; at += AT_ONCE)
      await Promise.all(
        bundles.slice(at, at + AT_ONCE).map(([number, wanted]) => this.#readOf(number, wanted, use)),
      )
  }

  /** Reads leaves of one bundle. */
  async #readOf(
    number: number,
    indices: readonly number[],
    use: (index: number, leaf: Uint8Array) => void,
  ): Promise<void> {
    const { files, size, sha256 } = this.#checked
    const [hashes, leaves] = await Promise.all([this.#readHashes(number), readBundle(files, number, size)])
    for (const index of indices) {
      const [leaf, expected] = [leaves[index % TILE_WIDTH], hashes[index % TILE_WIDTH]]
      if (leaf === undefined || expected === undefined) throw new RangeError(`there is no leaf ${index}`)
      if (compareBytes(sha256(concatBytes(LEAF, leaf)), expected) !== 0)
        throw new DatasetError({ what: `leaf ${index}`, rule: 'has another hash than its tile' })
      use(index, leaf)
    }
  }

  /** Reads the hashes of the leaves of a bundle, which lead to its root. */
  async #readHashes(number: number): Promise<Uint8Array[]> {
    const { files, size, sha256 } = this.#checked
    const hashes = await readTile(files, 0, number, size)
    const root = this.#roots[number]
    if (root === undefined) throw new RangeError(`there is no bundle ${number}`)
    const own = sha256(concatBytes(...hashes))
    const known = this.#known.get(number)
    if (known !== undefined && compareBytes(known, own) === 0) return hashes
    if (compareBytes(fold(hashes, sha256), root) !== 0)
      throw new DatasetError({
        what: tilePath(0, number, hashes.length),
        rule: 'does not lead to the root',
      })
    this.#known.set(number, own)
    return hashes
  }
}

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** The root of a tree with these leaf hashes, or roots of subtrees of one size of which the last may be smaller, by RFC 6962. */
function fold(hashes: readonly Uint8Array[], sha256: Sha256): Uint8Array {
  let level = hashes
  while (level.length > 1) {
    const above: Uint8Array[] = []
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at], level[at + 1]]
      if (left !== undefined) above.push(right === undefined ? left : sha256(concatBytes(NODE, left, right)))
    }
    level = above
  }
  const [root] = level
  if (root === undefined) throw new RangeError('a tree has at least one leaf')
  return root
}

/** Reads a tile: the hashes of a level that has so many. */
async function readTile(
  files: SnapshotFiles,
  level: number,
  number: number,
  count: number,
): Promise<Uint8Array[]> {
  const width = tileWidth(number, count)
  const path = tilePath(level, number, width)
  const bytes = await readFile(files, path, width * HASH_BYTES)
  if (bytes.length !== width * HASH_BYTES)
    throw new DatasetError({ what: path, rule: `expected ${width} hashes of ${HASH_BYTES} bytes` })
  return Array.from({ length: width }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES))
}
