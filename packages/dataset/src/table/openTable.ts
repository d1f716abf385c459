import { defineError } from '@wattfeed/base'
import { DatasetError } from '../errors.ts'
import { decodeLeaf, type Leaf, type LeafKey } from '../leaf.ts'
import { MANIFEST, MAX_MANIFEST_BYTES, type Manifest, parseManifest } from '../manifest.ts'
import type { SnapshotFiles } from '../snapshotFiles.ts'
import { CheckedLeaves, type Sha256 } from './checkedLeaves.ts'
import { createSeriesFinder } from './seriesFinder.ts'
import {
  CURE,
  decodeTableIndex,
  indexFault,
  MAX_TABLE_INDEX_BYTES,
  TABLE_INDEX,
  type TableIndex,
} from './tableIndex.ts'

/**
 * A snapshot without the file that tables need, `table-index`, as older versions of wattfeed wrote it. Its values can be read.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { openDatasetTable, TableIndexMissingError } from 'wattfeed/series'
 *
 * const dataset = { route: 'coal/mine-production', frequency: 'annual' }
 * const files = { read: async () => null } // those of a folder
 * await openDatasetTable(createClient(), dataset, { files }).catch((error) => {
 *   if (!(error instanceof TableIndexMissingError)) throw error
 *   console.warn(error.root) // the root of the snapshot in whose folder `wattfeed datasets check <folder> --index` writes it
 * })
 * ```
 */
export const TableIndexMissingError = defineError(
  'TableIndexMissingError',
  'table_index_missing',
  (facts: {
    /** Root of the snapshot: 64 hex digits. */
    root: string
  }) =>
    `the snapshot with the root ${facts.root} has no ${TABLE_INDEX}, as those of older versions; ${CURE} writes it`,
)
export type TableIndexMissingError = InstanceType<typeof TableIndexMissingError>

/** A snapshot whose rows can be selected and ordered. */
export interface SnapshotTable {
  readonly manifest: Manifest
  readonly index: TableIndex
  /** Size of the index in memory, in bytes. */
  readonly bytes: number
  /**
   * Reads leaves by their index, and checks each with the root and the index of tables.
   *
   * @throws {DatasetError} if a file is wrong, or the index does not follow from the leaves.
   */
  readLeaves(indices: Iterable<number>): Promise<Map<number, Leaf>>
}

/**
 * Opens the table of a snapshot; null if there is no snapshot. Holds its index in memory, some two bytes for each leaf. A page of
 * a table may take thousands of reads, so the files should be in a local folder.
 *
 * @param options - `sha256`: one of the runtime is several times faster than the one in TypeScript. @default one in TypeScript
 * @throws {TableIndexMissingError} if there is no index of tables.
 * @throws {DatasetError} if another file is missing, or one is wrong. For the index of tables, it names the cure.
 */
export async function openTable(
  files: SnapshotFiles,
  { sha256 }: { sha256?: Sha256 } = {},
): Promise<SnapshotTable | null> {
  const text = await files.read(MANIFEST, MAX_MANIFEST_BYTES)
  if (text === null) return null
  const manifest = parseManifest(new TextDecoder().decode(text))
  const bytes = await files.read(TABLE_INDEX, MAX_TABLE_INDEX_BYTES)
  if (bytes === null) throw new TableIndexMissingError({ root: manifest.root })
  const index = decodeTableIndex(bytes, manifest)
  const leaves = await CheckedLeaves.open(files, manifest, sha256)
  return {
    manifest,
    index,
    bytes: bytes.length,
    async readLeaves(indices) {
      const seriesOf = createSeriesFinder(index)
      const found = new Map<number, Leaf>()
      await leaves.read(indices, (at, leaf) => {
        found.set(at, decodeChecked(leaf, at, keyAt(index, seriesOf(at), at), manifest))
      })
      return found
    },
  }
}

/** Returns what the index says of a leaf. */
function keyAt(index: TableIndex, series: number, leaf: number): Omit<LeafKey, 'route' | 'frequency'> {
  const { columns, facets, periods, columnOf, facetsOf, periodOf } = index
  return {
    column: columns[columnOf[series] ?? 0] ?? '',
    facets: Object.fromEntries(
      facets.map(({ id, codes }, at) => [id, codes[facetsOf[at]?.[series] ?? 0] ?? null]),
    ),
    period: periods[periodOf[leaf] ?? 0] ?? '',
  }
}

/** @throws {DatasetError} unless the leaf is the one that the index names. */
function decodeChecked(
  bytes: Uint8Array,
  at: number,
  key: ReturnType<typeof keyAt>,
  { route, frequency }: Manifest,
): Leaf {
  const what = `leaf ${at}`
  const leaf = decodeLeaf(bytes, what)
  if (leaf.route !== route || leaf.frequency !== frequency)
    throw new DatasetError({ what, rule: 'is of another dataset than the manifest names' })
  const ids = Object.keys(leaf.facets)
  const isSame =
    leaf.column === key.column &&
    leaf.period === key.period &&
    ids.length === Object.keys(key.facets).length &&
    ids.every((id) => leaf.facets[id] === key.facets[id])
  if (!isSame) throw indexFault(`does not follow from leaf ${at}`)
  return leaf
}
