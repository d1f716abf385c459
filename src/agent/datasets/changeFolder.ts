import { join } from 'node:path'
import { isSystemError, systemReason, writeCure } from '@wattfeed/base'
import { acquireLock, StateFileError } from '@wattfeed/base/disk'
import { clearArchive, type NotKept } from './snapshotArchive.ts'
import { pruneSnapshots, removeLeftovers } from './snapshotFolders.ts'
import type { SnapshotInput } from './snapshotInput.ts'
import type { TakenSnapshot } from './writeSnapshot.ts'

/** A folder of a dataset's snapshots, and which of them stay there. */
export interface FolderOptions extends Pick<SnapshotInput, 'onProgress'> {
  /** The folder of the dataset's snapshots, each in a folder that has the root as its name; created if missing. */
  readonly out: string
  /** How many snapshots of the dataset are kept, with this one; null for all. @default null */
  readonly keep?: number | null
  /** How many older ones an archive keeps as differences; null for all. @default 0 */
  readonly archived?: number | null
  /** The roots of snapshots that are kept besides: the newest on chain, which readers need. @default none */
  readonly spares?: readonly string[]
  /**
   * The roots of snapshots that were never attested. Only the new one and `spares` stay of them, and these take no place of others. It may
   * change until snapshots are removed. @default none
   */
  readonly unattested?: ReadonlySet<string>
}

/**
 * Adds a snapshot to a folder while nobody else changes it, and removes older ones. What killed runs have left is removed first. If the disk
 * is full, the archive makes room.
 *
 * @throws {StateFileError} if the folder cannot be written, for instance because the disk is full.
 * @throws {LockedError} if another process takes a snapshot there.
 */
export async function changeFolder(
  { out, keep = null, spares = [], unattested = new Set(), archived = 0, onProgress }: FolderOptions,
  write: () => Promise<TakenSnapshot>,
): Promise<TakenSnapshot> {
  using _ = acquireLock(join(out, '.snapshot.lock'), 'snapshot')
  try {
    await removeLeftovers(out)
    const tell = (lost: readonly NotKept[]) =>
      lost.length > 0 && onProgress?.({ step: 'not_kept', snapshots: lost })
    const written = await write().catch(async (error: unknown) => {
      const lost = isDiskFull(error) ? await clearArchive(out) : []
      if (lost.length === 0) throw error
      // The newest root wins.
      tell(lost)
      return write()
    })
    if (keep !== null)
      tell(await pruneSnapshots(out, written.manifest, { keep, spares, unattested, archived }))
    return written
  } catch (error) {
    if (!isSystemError(error)) throw error
    const reason = systemReason(error)
    throw new StateFileError({ path: out, rule: `cannot be written (${reason}): ${writeCure(reason)}` })
  }
}

const isDiskFull = (error: unknown): boolean =>
  systemReason(error) === 'ENOSPC' ||
  (error instanceof StateFileError && /SQLITE_FULL|ENOSPC/.test(error.message))
