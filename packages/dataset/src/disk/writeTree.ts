import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { encodeHex } from '@wattfeed/base'
import { writeThrough } from '@wattfeed/base/disk'
import { joinEntries } from '../bytes.ts'
import { DatasetError } from '../errors.ts'
import { createCodeCounter, FACETS, formatFacets } from '../facets.ts'
import { encodeKey, encodeLeaf, type Leaf, MAX_LEAF_BYTES } from '../leaf.ts'
import { hashLeaf, rootOf } from '../merkleTree.ts'
import { INDEX } from '../snapshot.ts'
import { IndexBuilder } from '../table/indexBuilder.ts'
import { TABLE_INDEX } from '../table/tableIndex.ts'
import { TILE_WIDTH, tilePath } from '../tiles.ts'

/** What {@link writeTree} has written. */
export interface WrittenTree {
  /** Number of leaves. */
  readonly size: number
  /** 64 hex digits. */
  readonly root: string
  readonly oldestPeriod: string
  readonly newestPeriod: string
}

/**
 * Writes the tiles, bundles and index of sorted leaves to a folder, and the codes of their facets, and the index of tables. Holds one
 * tile of each level in memory, these codes, and some four bytes of each leaf.
 *
 * @param nameOf - returns what EIA calls a code of a facet; null if that is not known. @default no names
 * @throws {DatasetError} if there is no leaf, or one is too large.
 */
export async function writeTree(
  folder: string,
  leaves: Iterable<Leaf> | AsyncIterable<Leaf>,
  nameOf?: (facet: string, code: string) => string | null,
): Promise<WrittenTree> {
  const folders = new Set<string>()
  const firstKeys: Uint8Array[] = []
  let bundle: Uint8Array[] = []
  let size = 0
  let oldestPeriod: string | null = null
  let newestPeriod = ''
  let codes: ReturnType<typeof createCodeCounter> | null = null
  let table: IndexBuilder | null = null

  async function write(path: string, content: Uint8Array): Promise<void> {
    const file = join(folder, path)
    const parent = dirname(file)
    if (!folders.has(parent)) await mkdir(parent, { recursive: true })
    folders.add(parent)
    await writeThrough(file, content, { flags: 'w' })
  }

  const levels = createLevels((level, number, hashes) =>
    write(tilePath(level, number, hashes.length), Buffer.concat(hashes)),
  )

  async function endBundle(): Promise<void> {
    await write(tilePath('entries', firstKeys.length - 1, bundle.length), joinEntries(bundle))
    for (const leaf of bundle) await levels.add(hashLeaf(leaf))
    bundle = []
  }

  for await (const leaf of leaves) {
    const bytes = encodeLeaf(leaf)
    if (bytes.length > MAX_LEAF_BYTES)
      throw new DatasetError({ what: `leaf ${size}`, rule: `has more than ${MAX_LEAF_BYTES} bytes` })
    if (bundle.length === 0) firstKeys.push(encodeKey(leaf))
    bundle.push(bytes)
    codes ??= createCodeCounter(Object.keys(leaf.facets).sort())
    codes.add(leaf)
    table ??= new IndexBuilder(Object.keys(leaf.facets).sort())
    table.add(leaf)
    size += 1
    if (oldestPeriod === null || leaf.period < oldestPeriod) oldestPeriod = leaf.period
    if (leaf.period > newestPeriod) newestPeriod = leaf.period
    if (bundle.length === TILE_WIDTH) await endBundle()
  }
  if (oldestPeriod === null) throw new DatasetError({ what: 'the dataset', rule: 'has no rows' })
  if (bundle.length > 0) await endBundle()
  await write(INDEX, joinEntries(firstKeys))
  await write(FACETS, new TextEncoder().encode(formatFacets(codes?.facets(nameOf) ?? [])))
  const root = encodeHex(await levels.end())
  const tableIndex = table?.end(root) ?? null
  if (tableIndex !== null) await write(TABLE_INDEX, tableIndex)
  return { size, root, oldestPeriod, newestPeriod }
}

type WriteTile = (level: number, number: number, hashes: readonly Uint8Array[]) => Promise<void>

/** Collects the hashes of each level in tiles, and hands them on when they are full or the tree ends. */
export function createLevels(writeTile: WriteTile) {
  /** The tile that each level fills, and how many it has filled. */
  const levels: { hashes: Uint8Array[]; full: number }[] = []

  async function addTo(level: number, hash: Uint8Array): Promise<void> {
    const tile = levels[level] ?? { hashes: [], full: 0 }
    levels[level] = tile
    tile.hashes.push(hash)
    if (tile.hashes.length < TILE_WIDTH) return
    const { hashes } = tile
    await writeTile(level, tile.full, hashes)
    tile.hashes = []
    tile.full += 1
    await addTo(level + 1, rootOf(hashes))
  }

  return {
    /** Adds the hash of the next leaf. */
    add: (leafHash: Uint8Array) => addTo(0, leafHash),
    /** Hands on the tiles that are not full, and returns the root. */
    async end(): Promise<Uint8Array> {
      let rest: Uint8Array | null = null
      for (const [level, { hashes, full }] of levels.entries()) {
        if (hashes.length > 0) await writeTile(level, full, hashes)
        const all = rest === null ? hashes : [...hashes, rest]
        if (all.length > 0) rest = rootOf(all)
      }
      if (rest === null) throw new RangeError('a tree has at least one leaf')
      return rest
    },
  }
}
