import { isSystemError, systemReason, WattfeedError } from '@wattfeed/base'
import {
  DatasetError,
  filesBelow,
  httpFiles,
  openSnapshot,
  type Snapshot,
  type SnapshotFiles,
} from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { LRUCache } from 'lru-cache'
import { SnapshotFaultError } from './seriesErrors.ts'

/** A root of a dataset. */
export interface DatasetRoot {
  /** Id of the feed that has it. */
  readonly feedId: string
  readonly root: string
}

/** The snapshots in the places that the operator names. */
export interface Snapshots {
  /**
   * Reads the snapshot of a root; null if no place has it. A place whose snapshot cannot be used is passed over if another has it.
   *
   * @throws {SnapshotFaultError} if a file is wrong.
   * @throws {HttpFilesError} if a server of files does not answer.
   */
  read<T>(of: DatasetRoot, use: (snapshot: Snapshot) => Promise<T>): Promise<T | null>
}

/** Number of snapshots that stay open. One takes some megabytes: its index and upper tiles. */
const MAX_OPEN = 8

/** Maximum time for a file of another server, in milliseconds. A request has a deadline, too. */
const FILE_TIMEOUT_MS = 5_000

/** Opens the place of snapshots that a folder or a URL names. */
export const placeOf = (place: string): SnapshotFiles =>
  /^https?:/i.test(place) ? httpFiles(place, { timeoutMs: FILE_TIMEOUT_MS }) : folderFiles(place)

/** Finds snapshots in places that have a folder for each feed, by its id in lower case, with a folder for each root. */
export function createSnapshots(places: readonly SnapshotFiles[]): Snapshots {
  const opened = new LRUCache<string, Snapshot>({ max: MAX_OPEN })

  async function readIn<T>(place: number, folder: string, use: (snapshot: Snapshot) => Promise<T>) {
    const key = `${place} ${folder}`
    const kept = opened.get(key)
    if (kept !== undefined) {
      try {
        return { found: await use(kept) }
      } catch {
        // Its files may have been replaced or removed since it was opened.
        opened.delete(key)
      }
    }
    const files = places[place]
    const snapshot = files === undefined ? null : await openSnapshot(filesBelow(files, folder))
    if (snapshot === null) return null
    const found = await use(snapshot)
    opened.set(key, snapshot)
    return { found }
  }

  return {
    async read({ feedId, root }, use) {
      // Other ids are no names of folders, and no route of EIA makes one.
      if (!/^[\w.-]+$/.test(feedId)) return null
      let fault: WattfeedError | null = null
      for (const place of places.keys()) {
        try {
          const answer = await readIn(place, `${feedId.toLowerCase()}/${root}`, use)
          if (answer !== null) return answer.found
        } catch (error) {
          fault ??= faultOf(error, { feedId, root })
        }
      }
      if (fault !== null) throw fault
      return null
    },
  }
}

function faultOf(error: unknown, of: DatasetRoot): WattfeedError {
  if (error instanceof DatasetError) return new SnapshotFaultError({ ...of, rule: error.message })
  if (isSystemError(error)) return new SnapshotFaultError({ ...of, rule: systemReason(error) })
  if (error instanceof WattfeedError) return error
  throw error
}
