import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { changeFolder, type FolderOptions } from './changeFolder.ts'
import { readRows } from './readRows.ts'
import { recordEia } from './recordEia.ts'
import type { SnapshotInput } from './snapshotInput.ts'
import { createNameOf } from './stagedNames.ts'
import { type TakenSnapshot, writeSnapshot } from './writeSnapshot.ts'

export interface SnapshotOptions extends SnapshotInput, FolderOptions {}

/**
 * Reads a whole dataset from EIA, and writes it as a snapshot: tiles, bundles and index by docs/verify-spec.md, and `series.parquet` with
 * the same values. What EIA says of the dataset follows, if EIA sends it, and the manifest is last. After any crash, what has the name of a
 * root is complete. The next run resumes, within an hour.
 *
 * @throws {EmptyDatasetError} if EIA has no rows.
 * @throws {DatasetError} if EIA has two different rows with one key, a row that cannot be a leaf, or units on some pages only.
 * @throws {EiaRowsMovedError} if EIA's rows changed during each of three readings.
 * @throws {StateFileError} if the folder cannot be written, for instance because the disk is full.
 * @throws {LockedError} if another process takes a snapshot there.
 * @throws {EiaError} what the client throws, after a few tries if it may pass; and the signal's reason.
 */
export const takeSnapshot = (options: SnapshotOptions): Promise<TakenSnapshot> =>
  changeFolder(options, () => readAndWrite(options))

async function readAndWrite(options: SnapshotOptions): Promise<TakenSnapshot> {
  const path = join(options.out, 'stage.sqlite')
  const taken = await readThenWrite(path, options)
  // Only now, so that a run that is killed while it writes need not read again.
  for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true })
  return taken
}

async function readThenWrite(path: string, options: SnapshotOptions): Promise<TakenSnapshot> {
  const read = await readRows(path, options)
  using stage = read.stage
  const source = {
    leaves: () => stage.leaves(),
    nameOf: createNameOf(stage, options.facets),
    retrievedAt: stage.progress().startedAt ?? options.now(),
  }
  // The stage stays open until then.
  return await writeSnapshot(source, { ...options, readRecord: () => recordEia(read, options) })
}
