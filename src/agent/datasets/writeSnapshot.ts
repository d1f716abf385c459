import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeAtomically, writeThrough } from '@wattfeed/base/disk'
import {
  DatasetError,
  EIA_RECORD,
  type EiaRecord,
  formatEiaRecord,
  formatManifest,
  type Leaf,
  MANIFEST,
  type Manifest,
  parseEiaRecord,
  readEiaRecord,
} from '@wattfeed/dataset'
import { folderFiles, type WrittenTree, writeTree } from '@wattfeed/dataset/disk'
import type { Row } from '../../tables/column.ts'
import { leafColumns, leafRow } from '../../tables/leafColumns.ts'
import { createParquet } from '../../tables/parquet.ts'
import { COUNTS, countPeriods, formatCounts, type PeriodCounts } from './periodCounts.ts'
import { findSnapshot, newFolder, removeSnapshot, TABLE } from './snapshotFolders.ts'
import type { SnapshotInput } from './snapshotInput.ts'

/** A snapshot in its folder. */
export interface TakenSnapshot {
  /** That of the folder, but for when this reading began: the folder's may be of an earlier one. */
  readonly manifest: Manifest
  /** How many values it has of each period. */
  readonly counts: PeriodCounts
  readonly folder: string
  /** Whether it was written now: false if the whole snapshot with this root was there already. */
  readonly isNew: boolean
}

/** Where the values of a snapshot come from. */
export interface SnapshotSource {
  /** Returns all leaves, in the order of their keys. Called twice. */
  leaves(): Iterable<Leaf> | AsyncIterable<Leaf>
  /** Returns what EIA calls a code of a facet; null if that is not known. */
  nameOf(facet: string, code: string): string | null
  /** When its first page was read, in epoch milliseconds. */
  readonly retrievedAt: number
  /** Throws if the tree is not the expected one. @default any */
  readonly assertTree?: ((tree: WrittenTree) => void) | undefined
}

export interface WriteOptions extends Pick<SnapshotInput, 'dataset' | 'facets' | 'signal' | 'onProgress'> {
  /** The folder of the dataset's snapshots. */
  readonly out: string
  /** Reads what EIA says of the dataset; null if it cannot be read. Called for a snapshot that lacks it. @default null */
  readonly readRecord?: () => Promise<EiaRecord | null>
}

/** Rows of a row group: some 10 MB in memory. */
const GROUP_ROWS = 20_000

/**
 * Writes values to a folder that has the root as its name. Until it is complete, it has another name. A folder
 * of the root that is no whole snapshot is replaced.
 *
 * @throws {SnapshotFolderError} if something has the name that is not a snapshot of this root, not even a broken one.
 */
export async function writeSnapshot(source: SnapshotSource, options: WriteOptions): Promise<TakenSnapshot> {
  const { out, dataset, facets, signal, onProgress } = options
  const temporary = newFolder(out)
  const counts = new Map<string, number>()
  try {
    await mkdir(temporary)
    const leaves = watched(source.leaves(), { signal, onProgress })
    const nameOf = (facet: string, code: string) => source.nameOf(facet, code)
    const tree = await writeTree(temporary, countPeriods(leaves, counts), nameOf)
    source.assertTree?.(tree)
    await writeThrough(join(temporary, COUNTS), formatCounts(counts), { flags: 'wx' })
    const folder = join(out, tree.root)
    const { route, frequency, periods } = dataset
    const manifest: Manifest = {
      ...{ route, frequency, periods, ...tree },
      columns: [...dataset.columns].sort(),
      facets: [...facets].sort(),
      retrievedAt: source.retrievedAt,
    }
    const known = await findSnapshot(out, manifest, temporary)
    // Another number of periods may have given the same values.
    if (known?.fault === null) {
      if (!(await hasRecord(folder))) await writeRecord(folder, options)
      const { retrievedAt } = source
      return { manifest: { ...known.manifest, periods, retrievedAt }, counts, folder, isNew: false }
    }
    if (known !== null) onProgress?.({ step: 'mend', folder, why: known.fault })
    await writeTable(join(temporary, TABLE), facets, watched(source.leaves(), { signal }))
    await writeRecord(temporary, options)
    await writeThrough(join(temporary, MANIFEST), formatManifest(manifest), { flags: 'wx' })
    await syncFoldersIn(temporary)
    if (known === null) await rename(temporary, folder)
    else await removeSnapshot(out, tree.root, temporary)
    syncFolder(out)
    return { manifest, counts, folder, isNew: true }
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Writes what EIA says of the dataset beside the tree, if EIA sends it. */
async function writeRecord(folder: string, { readRecord, onProgress }: WriteOptions): Promise<void> {
  const record = (await readRecord?.()) ?? null
  if (record === null) return
  const text = formatEiaRecord(record)
  await writeAtomically(join(folder, EIA_RECORD), text, 0o644)
  if (record.names !== null && parseEiaRecord(text).names === null)
    onProgress?.({ step: 'not_recorded', why: 'the names in its rows are too large' })
}

/** Whether a snapshot has a record that can be read: an older version wrote none. */
const hasRecord = (folder: string): Promise<boolean> =>
  readEiaRecord(folderFiles(folder)).then(
    (record) => record !== null,
    (error: unknown) => {
      if (error instanceof DatasetError) return false
      throw error
    },
  )

const TELL_EVERY = 10_000

/** Passes leaves on, until the signal aborts. */
async function* watched(
  leaves: Iterable<Leaf> | AsyncIterable<Leaf>,
  { signal, onProgress }: Pick<SnapshotInput, 'signal' | 'onProgress'>,
): AsyncGenerator<Leaf> {
  let values = 0
  for await (const leaf of leaves) {
    yield leaf
    values += 1
    if (values % TELL_EVERY !== 0) continue
    signal?.throwIfAborted()
    onProgress?.({ step: 'write', values })
  }
}

/** Writes the table of all leaves of a snapshot. */
export async function writeTable(
  path: string,
  facets: readonly string[],
  leaves: Iterable<Leaf> | AsyncIterable<Leaf>,
): Promise<void> {
  await using file = await open(path, 'wx')
  const table = await createParquet(leafColumns(facets), (part) => file.writeFile(part))
  let rows: Row[] = []
  for await (const leaf of leaves) {
    rows.push(leafRow(leaf))
    if (rows.length < GROUP_ROWS) continue
    await table.write(rows)
    rows = []
  }
  if (rows.length > 0) await table.write(rows)
  await table.finish()
  await file.sync()
}

/** Writes the names of all files in a folder through to the disk. */
export async function syncFoldersIn(folder: string): Promise<void> {
  syncFolder(folder)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) syncFolder(join(entry.parentPath, entry.name))
}
