import { encodeHex } from '@wattfeed/base'
import { compareBytes, splitEntries } from './bytes.ts'
import { DatasetError } from './errors.ts'
import { FACETS, type Facet, MAX_FACETS_BYTES, parseFacets } from './facets.ts'
import { decodeLeaf, encodeKey, type Leaf, MAX_LEAF_BYTES } from './leaf.ts'
import { MANIFEST, MAX_MANIFEST_BYTES, type Manifest, parseManifest } from './manifest.ts'
import { HASH_BYTES, type Run } from './merkleTree.ts'
import { RecentFiles } from './recentFiles.ts'
import { readFile, type SnapshotFiles } from './snapshotFiles.ts'
import { readHashesBeside, readMerklePath, TILE_WIDTH, Tile, tilePath, tileWidth } from './tiles.ts'

/** The first key of every bundle, in order. */
export const INDEX = 'index'

/** Maximum size of the index, in bytes: enough for 30 million leaves. */
export const MAX_INDEX_BYTES = 2 ** 25

/** Maximum size of a bundle, in bytes. */
const MAX_BUNDLE_BYTES = TILE_WIDTH * (2 + MAX_LEAF_BYTES)

/** A leaf with its place, and the proof that it is there. */
export interface ProvenLeaf {
  /** Place in the tree, from 0. */
  readonly index: number
  /** The leaf's bytes, which are JSON. */
  readonly leaf: string
  /** The hashes beside its way to the root, from the leaf, in hex. */
  readonly path: readonly string[]
}

/** A snapshot of a dataset that is read from its files. The files may be wrong: what they say is proven by the root alone. */
export interface Snapshot {
  /** What the snapshot says about itself. */
  readonly manifest: Manifest
  /** Lists the facets with their codes, which nothing proves; null if the snapshot has no such list, as older ones do not. */
  listFacets(): Promise<readonly Facet[] | null>
  /** Returns how many leaves have a key that is smaller than this one. */
  countBefore(key: Uint8Array): Promise<number>
  /** Reads a leaf by its index. */
  leafAt(index: number): Promise<Leaf>
  /** Reads a leaf with its path. */
  prove(index: number): Promise<ProvenLeaf>
  /** Reads leaves that follow each other, with the hashes beside them. */
  proveRun(run: Run): Promise<ProvenRun>
}

/** Leaves that follow each other, and what leads from them to the root. */
export interface ProvenRun {
  /** The bytes of the leaves. */
  readonly leaves: readonly Uint8Array[]
  /** The hashes of the nodes beside them, from left to right. */
  readonly hashes: readonly Uint8Array[]
}

/** How many tiles above the lowest are kept in memory: enough for 16 million leaves. */
const MAX_KEPT_TILES = 257

/** Size of the other tiles and of the bundles that are kept, in bytes: enough to read each once for a range of 5,000 values. */
const MAX_RECENT_BYTES = 2 ** 22

/**
 * Opens a snapshot; null if there is none. Reads the manifest now, and other files when they are needed. The index and the upper
 * tiles stay in memory, and of the others those that were used last. So a leaf and its path take two or three more files.
 *
 * @example
 * ```ts
 * import { httpFiles, openSnapshot } from 'wattfeed/series'
 *
 * const folder = 'http://localhost:8080/eia.dataset.coal.mine-production.annual'
 * const snapshot = await openSnapshot(httpFiles(`${folder}/${'ab'.repeat(32)}`))
 * console.log(snapshot?.manifest.size, await snapshot?.leafAt(0))
 * ```
 *
 * @throws {DatasetError} if a file is missing, too large, or not in its format. Methods throw it, too.
 */
export async function openSnapshot(files: SnapshotFiles): Promise<Snapshot | null> {
  const bytes = await files.read(MANIFEST, MAX_MANIFEST_BYTES)
  if (bytes === null) return null
  const manifest = parseManifest(new TextDecoder().decode(bytes))
  const { size } = manifest
  const kept = new Map<string, Promise<Tile>>()
  const recentTiles = new RecentFiles<Tile>(MAX_RECENT_BYTES / 4)
  const recentBundles = new RecentFiles<Uint8Array[]>(MAX_RECENT_BYTES)
  let index: Promise<Uint8Array[]> | null = null
  let facets: Promise<readonly Facet[] | null> | null = null

  async function readTileFile(path: string, width: number): Promise<Tile> {
    return new Tile(await readFile(files, path, width * HASH_BYTES), width, path)
  }

  function keep(path: string, width: number): Promise<Tile> {
    const known = kept.get(path)
    if (known !== undefined) return known
    const reading = readTileFile(path, width)
    if (kept.size < MAX_KEPT_TILES) kept.set(path, reading)
    // A failure may pass.
    reading.catch(() => kept.delete(path))
    return reading
  }

  function readTile(level: number, number: number, width: number): Promise<Tile> {
    const path = tilePath(level, number, width)
    if (level > 0) return keep(path, width)
    return recentTiles.get(path, async () => ({
      parsed: await readTileFile(path, width),
      bytes: width * HASH_BYTES,
    }))
  }

  const bundleAt = (number: number): Promise<Uint8Array[]> =>
    recentBundles.get(String(number), async () => {
      const parsed = await readBundle(files, number, size)
      return { parsed, bytes: parsed.reduce((sum, { length }) => sum + 2 + length, 0) }
    })

  async function readIndex(): Promise<Uint8Array[]> {
    const keys = splitEntries(await readFile(files, INDEX, MAX_INDEX_BYTES))
    const count = Math.ceil(size / TILE_WIDTH)
    if (keys?.length !== count) throw new DatasetError({ what: INDEX, rule: `expected ${count} keys` })
    return keys
  }

  async function readFacets(): Promise<readonly Facet[] | null> {
    const found = await files.read(FACETS, MAX_FACETS_BYTES)
    return found && parseFacets(new TextDecoder().decode(found), manifest)
  }

  async function leafBytes(at: number): Promise<Uint8Array> {
    const entries = await bundleAt(Math.floor(at / TILE_WIDTH))
    const bytes = entries[at % TILE_WIDTH]
    if (bytes === undefined) throw new RangeError(`the snapshot has ${size} leaves, not one at ${at}`)
    return bytes
  }

  return {
    manifest,
    listFacets() {
      facets ??= readFacets()
      facets.catch(() => {
        facets = null
      })
      return facets
    },
    async countBefore(key) {
      index ??= readIndex()
      index.catch(() => {
        index = null
      })
      // The last bundle that starts before the key may hold it.
      const bundle = countWhere(await index, (first) => compareBytes(first, key) < 0) - 1
      if (bundle < 0) return 0
      const leaves = await bundleAt(bundle)
      const isBefore = (bytes: Uint8Array) => compareBytes(keyOf(bytes), key) < 0
      return bundle * TILE_WIDTH + countWhere(leaves, isBefore)
    },
    leafAt: async (at) => decodeLeaf(await leafBytes(at), `leaf ${at}`),
    async prove(at) {
      const [leaf, path] = await Promise.all([leafBytes(at), readMerklePath(at, size, readTile)])
      return { index: at, leaf: new TextDecoder().decode(leaf), path: path.map((hash) => encodeHex(hash)) }
    },
    async proveRun({ first, past }) {
      const leaves: Uint8Array[] = []
      for (let at = first; at < past; at += TILE_WIDTH - (at % TILE_WIDTH)) {
        const start = at - (at % TILE_WIDTH)
        const bundle = await bundleAt(start / TILE_WIDTH)
        leaves.push(...bundle.slice(at - start, past - start))
      }
      return { leaves, hashes: await readHashesBeside({ first, past }, size, readTile) }
    },
  }
}

/** Reads a bundle: the leaves of a tree of this size from 256 times this number on. @throws {DatasetError} */
export async function readBundle(files: SnapshotFiles, number: number, size: number): Promise<Uint8Array[]> {
  const width = tileWidth(number, size)
  const path = tilePath('entries', number, width)
  const entries = splitEntries(await readFile(files, path, MAX_BUNDLE_BYTES))
  if (entries?.length !== width) throw new DatasetError({ what: path, rule: `expected ${width} leaves` })
  return entries
}

const keyOf = (bytes: Uint8Array): Uint8Array => encodeKey(decodeLeaf(bytes, 'a leaf'))

/** Counts the first items that hold, of a list in which none holds after one that does not. */
export function countWhere<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    // The index is inside of the list.
    if (holds(items[middle] as T)) low = middle + 1
    else high = middle
  }
  return low
}
