import { encodeHex } from '@wattfeed/base'
import { joinEntries } from '../bytes.ts'
import { DatasetError } from '../errors.ts'
import { decodeLeaf, type Leaf } from '../leaf.ts'
import { MANIFEST, MAX_MANIFEST_BYTES, parseManifest } from '../manifest.ts'
import { HASH_BYTES } from '../merkleTree.ts'
import { RecentFiles } from '../recentFiles.ts'
import { readBundle } from '../snapshot.ts'
import { filesBelow, readFile, type SnapshotFiles } from '../snapshotFiles.ts'
import { countAtLevel, TILE_WIDTH, tilePath, tileWidth } from '../tiles.ts'
import { revise } from './createDifference.ts'
import { Difference, type KeptFiles } from './difference.ts'
import { nativeTreeOf } from './nativeTree.ts'

/** The folder of a dataset's differences, beside its snapshots. */
export const ARCHIVE = 'archive'

/** The path of the difference that rebuilds the snapshot of a root. */
export const archivePath = (root: string): string => `${ARCHIVE}/${root}.diff`

/** A snapshot that is rebuilt from the archive. Its root was computed from the hashes of its leaves. */
export interface ArchivedSnapshot {
  /** Its files, but for the table of all rows. */
  readonly files: SnapshotFiles
  /** The files that the archive has as they were. */
  readonly kept: KeptFiles
  /** What it takes in memory, in bytes. */
  readonly bytes: number
  readonly size: number
  /** Root of the snapshot in a folder whose leaves it reads. It is of no use when that is gone. */
  readonly base: string
  /** The differences that lead there, and the hashes of its leaves: what an earlier one is rebuilt from. */
  readonly chain: readonly Difference[]
  readonly hashes: Uint8Array
  /** Reads its leaves, in their order. */
  leaves(): AsyncGenerator<Leaf>
}

/** Maximum size of a compressed difference, in bytes. */
const MAX_FILE_BYTES = 2 ** 29

/** Size of the bundles of the folder that stay in memory, in bytes. */
const MAX_RECENT_BYTES = 2 ** 22

/**
 * Rebuilds a snapshot from a dataset's folder: from the difference of its root, those that follow, and the snapshot at their end. Null if
 * there is no such difference.
 *
 * @param files - the dataset's folder
 * @param maxBytes - what it may take in memory: 32 bytes for each value, and what the differences have
 * @param findRebuilt - finds a later snapshot that was rebuilt, which saves the way from there on; null if there is none
 * @throws {DatasetError} if a file is missing or wrong, if the root is another, or if it takes more memory
 */
export async function openArchived(
  files: SnapshotFiles,
  root: string,
  maxBytes: number,
  findRebuilt: (root: string) => Promise<ArchivedSnapshot | null> = async () => null,
): Promise<ArchivedSnapshot | null> {
  const own: Difference[] = []
  let bytes = 0
  let last = root
  let later: ArchivedSnapshot | null = null
  for (;;) {
    const path = archivePath(last)
    if (own.length > 0) {
      later = await findRebuilt(last)
      const isFolder = (await files.read(`${last}/${MANIFEST}`, MAX_MANIFEST_BYTES)) !== null
      if (later !== null || isFolder) break
    }
    const found = await files.read(path, MAX_FILE_BYTES)
    if (found === null && own.length === 0) return null
    if (found === null)
      throw new DatasetError({ what: path, rule: `is missing, and so is the snapshot ${last}` })
    const difference = new Difference(found, path, maxBytes - bytes)
    const { header } = difference
    if (header.root !== last) throw new DatasetError({ what: path, rule: `is of the root ${header.root}` })
    own.push(difference)
    if (own.some((each) => each.header.root === header.base))
      throw new DatasetError({ what: path, rule: 'is its own base, after others' })
    bytes += difference.bytes
    last = header.base
  }
  const [target] = own
  if (target === undefined) return null
  const chain = [...own, ...(later?.chain ?? [])]
  for (const { bytes: ofLater } of later?.chain ?? []) bytes += ofLater
  // The hashes of the base are there at the same time.
  const largest = Math.max(...chain.map(({ header }) => header.size + header.baseSize))
  if (bytes + largest * HASH_BYTES > maxBytes)
    throw new DatasetError({
      what: archivePath(root),
      rule: `takes ${bytes + largest * HASH_BYTES} bytes in memory, of at most ${maxBytes}; "datasets restore" writes its snapshot`,
    })
  const base = later?.base ?? last
  const folder = filesBelow(files, base)
  const size = chain.at(-1)?.header.baseSize ?? 0
  let hashes = later?.hashes ?? (await readHashes(folder, base, size))
  for (const difference of own.toReversed()) hashes = difference.hashesFrom(hashes)
  const tree = await nativeTreeOf(hashes)
  if (encodeHex(tree.root) !== root)
    throw new DatasetError({ what: archivePath(root), rule: `leads to the root ${encodeHex(tree.root)}` })
  const leafBytes = leafBytesOf(chain, folder, size)
  return {
    files: filesOf(target, tree.levels, leafBytes),
    kept: target.files,
    bytes: bytes + hashes.length,
    size: target.header.size,
    ...{ base, chain, hashes },
    async *leaves() {
      for (let at = 0; at < target.header.size; at++) yield decodeLeaf(await leafBytes(at), `leaf ${at}`)
    },
  }
}

/** Reads the hashes of the leaves of a snapshot in a folder. @throws {DatasetError} if it has not as many. */
async function readHashes(files: SnapshotFiles, root: string, expected: number): Promise<Uint8Array> {
  const { size } = parseManifest(
    new TextDecoder().decode(await readFile(files, MANIFEST, MAX_MANIFEST_BYTES)),
  )
  if (size !== expected)
    throw new DatasetError({ what: `${root}/${MANIFEST}`, rule: `has ${size} values, not ${expected}` })
  const hashes = new Uint8Array(size * HASH_BYTES)
  for (let number = 0; number * TILE_WIDTH < size; number++) {
    const width = tileWidth(number, size)
    const path = tilePath(0, number, width)
    const tile = await readFile(files, path, width * HASH_BYTES)
    if (tile.length !== width * HASH_BYTES)
      throw new DatasetError({ what: path, rule: `expected ${width} hashes of ${HASH_BYTES} bytes` })
    hashes.set(tile, number * TILE_WIDTH * HASH_BYTES)
  }
  return hashes
}

type ReadLeaf = (index: number) => Promise<Uint8Array>

/** Returns what reads the bytes of a leaf: its value from the first difference that has it, and the rest from further on. */
function leafBytesOf(chain: readonly Difference[], folder: SnapshotFiles, size: number): ReadLeaf {
  const recent = new RecentFiles<Uint8Array[]>(MAX_RECENT_BYTES)
  const bundleAt = (number: number) =>
    recent.get(String(number), async () => {
      const parsed = await readBundle(folder, number, size)
      return { parsed, bytes: parsed.reduce((sum, { length }) => sum + 2 + length, 0) }
    })
  return async (index) => {
    let at = index
    let content: Uint8Array | null = null
    for (const difference of chain) {
      const origin = difference.originOf(at)
      if (origin.base === null) {
        const bytes = origin.content ?? new Uint8Array()
        return content === null ? bytes : revise(decodeLeaf(bytes, `leaf ${index}`), content)
      }
      content ??= origin.content
      at = origin.base
    }
    const bundle = await bundleAt(Math.floor(at / TILE_WIDTH))
    const bytes = bundle[at % TILE_WIDTH]
    if (bytes === undefined) throw new RangeError(`there is no leaf ${at}`)
    return content === null ? bytes : revise(decodeLeaf(bytes, `leaf ${index}`), content)
  }
}

const TILE = /^tile\/(entries|\d)\/((?:x\d{3}\/)*\d{3})(?:\.p\/\d+)?$/

function filesOf(
  { header: { size }, files }: Difference,
  levels: readonly Uint8Array[],
  leafBytes: ReadLeaf,
): SnapshotFiles {
  async function readTile(name: string, number: number, path: string): Promise<Uint8Array | null> {
    const level = name === 'entries' ? name : Number(name)
    const count = countAtLevel(size, level === 'entries' ? 0 : level)
    const width = tileWidth(number, count)
    if (width < 1 || tilePath(level, number, width) !== path) return null
    const first = number * TILE_WIDTH
    if (level !== 'entries')
      return levels[level]?.subarray(first * HASH_BYTES, (first + width) * HASH_BYTES) ?? null
    const leaves: Uint8Array[] = []
    for (let at = first; at < first + width; at++) leaves.push(await leafBytes(at))
    return joinEntries(leaves)
  }

  return {
    async read(path, maxBytes) {
      const [, level, digits] = TILE.exec(path) ?? []
      const found =
        level === undefined || digits === undefined
          ? (files.get(path) ?? null)
          : await readTile(level, Number(digits.replace(/\D/g, '')), path)
      if (found !== null && found.length > maxBytes)
        throw new DatasetError({ what: path, rule: `is larger than ${maxBytes} bytes` })
      return found
    },
  }
}
