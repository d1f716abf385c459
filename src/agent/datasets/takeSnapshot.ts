import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError, systemReason, writeCure } from '@wattfeed/base'
import { acquireLock, StateFileError } from '@wattfeed/base/disk'
import { readRows } from './readRows.ts'
import { recordEia } from './recordEia.ts'
import { clearArchive, type NotKept } from './snapshotArchive.ts'
import { pruneSnapshots, removeLeftovers } from './snapshotFolders.ts'
import type { SnapshotInput } from './snapshotInput.ts'
import { createNameOf } from './stagedNames.ts'
import { type TakenSnapshot, writeSnapshot } from './writeSnapshot.ts'

export interface SnapshotOptions extends SnapshotInput {
  /** The folder of the dataset's snapshots, each in a folder that has the root as its name; created if missing. */
  readonly out: string
  /** How many snapshots of the dataset are kept, with this one; null for all. @default null */
  readonly keep?: number | null
  /** How many older ones an archive keeps as differences; null for all. @default 0 */
  readonly archived?: number | null
  /** The root of a snapshot that is kept besides: the newest on chain, which readers need. @default none */
  readonly spare?: string | null
}

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
export async function takeSnapshot(options: SnapshotOptions): Promise<TakenSnapshot> {
  const { out, keep = null, spare = null, archived = 0, onProgress } = options
  using _ = acquireLock(join(out, '.snapshot.lock'), 'snapshot')
  try {
    await removeLeftovers(out)
    const tell = (lost: readonly NotKept[]) =>
      lost.length > 0 && onProgress?.({ step: 'not_kept', snapshots: lost })
    const taken = await readAndWrite(options).catch(async (error: unknown) => {
      const lost = isDiskFull(error) ? await clearArchive(out) : []
      if (lost.length === 0) throw error
      // The newest root wins.
      tell(lost)
      return readAndWrite(options)
    })
    if (keep !== null) tell(await pruneSnapshots(out, taken.manifest, { keep, spare, archived }))
    return taken
  } catch (error) {
    if (!isSystemError(error)) throw error
    const reason = systemReason(error)
    throw new StateFileError({ path: out, rule: `cannot be written (${reason}): ${writeCure(reason)}` })
  }
}

const isDiskFull = (error: unknown): boolean =>
  systemReason(error) === 'ENOSPC' ||
  (error instanceof StateFileError && /SQLITE_FULL|ENOSPC/.test(error.message))

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
