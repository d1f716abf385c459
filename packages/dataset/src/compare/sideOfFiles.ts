import { joinEntries } from '../bytes.ts'
import { DatasetError } from '../errors.ts'
import type { Manifest } from '../manifest.ts'
import { HASH_BYTES, type Run } from '../merkleTree.ts'
import { countWhere, readBundle } from '../snapshot.ts'
import { readFile, type SnapshotFiles } from '../snapshotFiles.ts'
import { TILE_WIDTH, Tile, tilePath, tileWidth } from '../tiles.ts'
import { encodeRanges, type KeyRange, RANGE_BYTES, RangeBuilder, TOP_LEVEL } from './keyRange.ts'
import { type Side, sideLimits } from './side.ts'

/** Ranges of smaller levels are made again when they are asked for. */
const LOWEST_KEPT = 2

/** Called after each tile with the number of hashes so far. */
export type OnTile = (hashes: number, size: number) => void

/**
 * Opens the files of a snapshot as a side of a comparison. Reads the hashes of all leaves once, 32 bytes each, and no leaf. One range
 * of about 256 leaves each stays in memory. A request that names other ranges than it has is an error of its methods.
 *
 * @param manifest - that of the files
 * @throws {DatasetError} if a tile is missing or has another size. Methods throw it, too.
 */
export async function sideOfFiles(
  files: SnapshotFiles,
  { root, size }: Manifest,
  { name, onTile = () => {} }: { readonly name: string; readonly onTile?: OnTile },
): Promise<Side> {
  const kept = await readRanges(files, size, onTile)
  return {
    ...{ name, root, size },
    async digestsOf(level, runs) {
      assertRuns(level, runs, size)
      const ranges: KeyRange[] = []
      for (const run of runs) {
        const max = MAX_RANGES - ranges.length
        const found =
          level >= LOWEST_KEPT
            ? rangesWithin(kept[level] ?? [], run, max)
            : await readLowRanges(files, size, { level, run, max })
        for (const range of found) ranges.push(range)
      }
      return encodeRanges(ranges)
    },
    async leavesOf(indices) {
      if (indices.length > sideLimits.leaves)
        throw requestFault(`names more than ${sideLimits.leaves} leaves`)
      const leaves: Uint8Array[] = []
      let [number, bundle] = [-1, [] as Uint8Array[]]
      for (const index of indices) {
        if (!isIndex(index, size)) throw requestFault(`names leaf ${index} of ${size}`)
        const wanted = Math.floor(index / TILE_WIDTH)
        if (wanted !== number) [number, bundle] = [wanted, await readBundle(files, wanted, size)]
        leaves.push(bundle[index % TILE_WIDTH] ?? new Uint8Array())
      }
      return joinEntries(leaves)
    },
  }
}

/** What an error names as wrong if it is the request. */
const REQUEST = 'the request'

/** Ranges of an answer. */
const MAX_RANGES = sideLimits.digestBytes / RANGE_BYTES

const requestFault = (rule: string) => new DatasetError({ what: REQUEST, rule })

/** Returns whether a side has refused a request. The error has only what was asked for and the snapshot's size. */
export const isRequestFault = (error: unknown): error is DatasetError =>
  error instanceof DatasetError && error.what === REQUEST

const tooManyRanges = () => requestFault('has too many ranges')

const isIndex = (index: number, size: number): boolean =>
  Number.isSafeInteger(index) && index >= 0 && index < size

function assertRuns(level: number, runs: readonly Run[], size: number): void {
  if (!isIndex(level, TOP_LEVEL + 1)) throw requestFault(`names level ${level} of ${TOP_LEVEL}`)
  if (runs.length > sideLimits.runs) throw requestFault(`names more than ${sideLimits.runs} ranges`)
  const wrong = runs.find(
    ({ first, past }) => !isIndex(first, size) || !isIndex(past - first - 1, size - first),
  )
  if (wrong !== undefined)
    throw requestFault(`names the range from ${wrong.first} to ${wrong.past}, of ${size} leaves`)
  const count = runs.reduce((sum, { first, past }) => sum + past - first, 0)
  if (level < LOWEST_KEPT && count > sideLimits.hashes)
    throw requestFault(`names ${count} leaves, and at most ${sideLimits.hashes} are read at once`)
}

/** Makes the ranges of the higher levels. */
async function readRanges(
  files: SnapshotFiles,
  size: number,
  onTile: OnTile,
): Promise<readonly (readonly KeyRange[])[]> {
  const kept: KeyRange[][] = Array.from({ length: TOP_LEVEL + 1 }, () => [])
  const builder = new RangeBuilder(0, (level, range) => {
    if (level >= LOWEST_KEPT) kept[level]?.push(range)
  })
  let count = 0
  for await (const hashes of leafHashes(files, size, { first: 0, past: size })) {
    for (const hash of hashes) builder.add(hash)
    count += hashes.length
    onTile(count, size)
  }
  builder.end()
  return kept
}

/** Makes the ranges of level 0 or 1 that a larger range consists of, and no more than may be answered. */
async function readLowRanges(
  files: SnapshotFiles,
  size: number,
  { level, run, max }: { readonly level: number; readonly run: Run; readonly max: number },
): Promise<KeyRange[]> {
  const ranges: KeyRange[] = []
  let index = run.first
  const builder = new RangeBuilder(index, (each, range) => {
    if (each === level) ranges.push(range)
  })
  for await (const hashes of leafHashes(files, size, run))
    for (const digest of hashes) {
      if (level === 0) ranges.push({ first: index, past: index + 1, digest })
      else builder.add(digest)
      index += 1
      if (ranges.length > max) throw tooManyRanges()
    }
  builder.end()
  if (ranges.length > max) throw tooManyRanges()
  return ranges
}

/** The hashes of a run of leaves, those of one tile at once. */
async function* leafHashes(
  files: SnapshotFiles,
  size: number,
  { first, past }: Run,
): AsyncGenerator<readonly Uint8Array[]> {
  for (let at = first; at < past; at += TILE_WIDTH - (at % TILE_WIDTH)) {
    const number = Math.floor(at / TILE_WIDTH)
    const width = tileWidth(number, size)
    const path = tilePath(0, number, width)
    const tile = new Tile(await readFile(files, path, width * HASH_BYTES), width, path)
    const offset = at % TILE_WIDTH
    const end = Math.min(width, past - number * TILE_WIDTH)
    yield Array.from({ length: end - offset }, (_, each) => tile.hashAt(offset + each, 0))
  }
}

/** The ranges of a level within a larger one, which starts and ends with one of them. */
function rangesWithin(ranges: readonly KeyRange[], { first, past }: Run, max: number): readonly KeyRange[] {
  const start = countWhere(ranges, (range) => range.first < first)
  const end = countWhere(ranges, (range) => range.past <= past)
  if (ranges[start]?.first !== first || ranges[end - 1]?.past !== past)
    throw requestFault(`names the range from ${first} to ${past}, which the snapshot does not have`)
  if (end - start > max) throw tooManyRanges()
  return ranges.slice(start, end)
}
