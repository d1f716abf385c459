import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeThrough } from '@wattfeed/base/disk'
import { formatManifest, type Leaf, MANIFEST, type Manifest } from '@wattfeed/dataset'
import { type Stage, writeTree } from '@wattfeed/dataset/disk'
import type { Column, Row } from '../../tables/column.ts'
import { createParquet } from '../../tables/parquet.ts'
import { newFolder, readSnapshot } from './snapshotFolders.ts'
import type { SnapshotInput } from './snapshotInput.ts'

/** A snapshot in its folder. */
export interface TakenSnapshot {
  readonly manifest: Manifest
  readonly folder: string
  /** Whether it was written now: false if the same root was there already. */
  readonly isNew: boolean
}

/** The rows of the snapshot as a table. It is UTF-8, so a lone surrogate in a value or unit is U+FFFD there. */
const TABLE = 'series.parquet'

/** Rows of a row group: some 10 MB in memory. */
const GROUP_ROWS = 20_000

/**
 * Writes the values of a full stage to a folder that has the root as its name. Until it is complete, it has another name.
 *
 * @throws {SnapshotFolderError} if something else than this snapshot has the name.
 */
export async function writeSnapshot(
  stage: Stage,
  { out, dataset, facets, now, signal, onProgress }: SnapshotInput & { readonly out: string },
): Promise<TakenSnapshot> {
  const temporary = newFolder(out)
  try {
    await mkdir(temporary)
    const tree = await writeTree(temporary, watched(stage.leaves(), { signal, onProgress }))
    const folder = join(out, tree.root)
    const known = await readSnapshot(out, tree.root)
    // Another number of periods may have given the same values.
    if (known !== null) return { manifest: { ...known, periods: dataset.periods }, folder, isNew: false }
    await writeTable(join(temporary, TABLE), facets, watched(stage.leaves(), { signal }))
    const { route, frequency, periods } = dataset
    const manifest: Manifest = {
      ...{ route, frequency, periods, ...tree },
      columns: [...dataset.columns].sort(),
      facets: [...facets].sort(),
      retrievedAt: stage.progress().startedAt ?? now(),
    }
    await writeThrough(join(temporary, MANIFEST), formatManifest(manifest), { flags: 'wx' })
    await syncFoldersIn(temporary)
    await rename(temporary, folder)
    syncFolder(out)
    return { manifest, folder, isNew: true }
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

const TELL_EVERY = 10_000

/** Passes leaves on, until the signal aborts. */
function* watched(
  leaves: Iterable<Leaf>,
  { signal, onProgress }: Pick<SnapshotInput, 'signal' | 'onProgress'>,
): Generator<Leaf> {
  let values = 0
  for (const leaf of leaves) {
    yield leaf
    values += 1
    if (values % TELL_EVERY !== 0) continue
    signal?.throwIfAborted()
    onProgress?.({ step: 'write', values })
  }
}

async function writeTable(path: string, facets: readonly string[], leaves: Iterable<Leaf>): Promise<void> {
  await using file = await open(path, 'wx')
  const table = await createParquet(columnsOf(facets), (part) => file.writeFile(part))
  let rows: Row[] = []
  for (const { column, facets: named, period, value, unit } of leaves) {
    const ofFacets = Object.entries(named).map(([id, facet]) => [nameOf(id), facet] as const)
    rows.push({ ...Object.fromEntries(ofFacets), column, period, value, unit })
    if (rows.length < GROUP_ROWS) continue
    await table.write(rows)
    rows = []
  }
  if (rows.length > 0) await table.write(rows)
  await table.finish()
  await file.sync()
}

const own = ['column', 'period', 'value', 'unit']

/** The table's column of a facet: its id, after `facet_` where the table has another column with this name. */
const nameOf = (facet: string): string => (own.includes(facet) ? `facet_${facet}` : facet)

const columnsOf = (facets: readonly string[]): Column[] =>
  ['column', ...[...facets].sort().map(nameOf), 'period', 'value', 'unit'].map((name) => ({
    name,
    type: 'text',
    description: '',
  }))

/** Writes the names of all files in a folder through to the disk. */
async function syncFoldersIn(folder: string): Promise<void> {
  syncFolder(folder)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) syncFolder(join(entry.parentPath, entry.name))
}
