import { hash } from 'node:crypto'
import { isSystemError, systemReason, WattfeedError } from '@wattfeed/base'
import {
  DatasetError,
  filesBelow,
  HttpFilesError,
  httpFiles,
  openSnapshot,
  type Snapshot,
  type SnapshotFiles,
} from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { openTable, type SnapshotTable, TableIndexMissingError } from '@wattfeed/dataset/table'
import { LRUCache } from 'lru-cache'
import { withArchives } from './archivedFiles.ts'
import { SnapshotFaultError } from './seriesErrors.ts'

/** A root of a dataset. */
export interface DatasetRoot {
  /** Id of the feed that has it. */
  readonly feedId: string
  readonly root: string
}

/** What is opened of snapshots in the places that the operator names. */
export interface Opened<Kind> {
  /**
   * Reads what is opened of a root; null if no place has it. A place whose snapshot cannot be used is passed over if another has it.
   *
   * @throws {SnapshotFaultError} if a file is wrong.
   * @throws {TableIndexMissingError} if a table is opened, and the index is missing.
   * @throws {HttpFilesError} if a server of files does not answer.
   * @throws what `use` throws.
   */
  read<T>(of: DatasetRoot, use: (opened: Kind) => Promise<T>): Promise<T | null>
}

export type Snapshots = Opened<Snapshot>

export type Tables = Opened<SnapshotTable>

/**
 * Number of snapshots that stay open. One takes some megabytes: its index and upper tiles. A page of revisions reads twenty, and must not
 * close those that other requests use.
 */
const MAX_OPEN = 32

/** Maximum memory of the indices of tables that stay open, in bytes: some sixty of two million values. */
const MAX_INDEX_BYTES = 2 ** 28

/** Maximum time for a file of another server, in milliseconds. A request has a deadline, too. */
const FILE_TIMEOUT_MS = 5_000

/** Opens the place of snapshots that a folder or a URL names. A folder may have archives. */
export const placeOf = (place: string): SnapshotFiles =>
  /^https?:/i.test(place)
    ? httpFiles(place, { timeoutMs: FILE_TIMEOUT_MS })
    : withArchives(folderFiles(place))

/** Finds snapshots in places that have a folder for each feed, by its id in lower case, with a folder for each root. */
export const createSnapshots = (places: readonly SnapshotFiles[]): Snapshots =>
  createOpened(places, openSnapshot, new LRUCache<string, Snapshot>({ max: MAX_OPEN }))

/** Finds the tables of such snapshots. Only places that are local folders have them: a page takes thousands of reads. */
export const createTables = (places: readonly SnapshotFiles[]): Tables =>
  createOpened(
    places.filter(({ isRemote = false }) => !isRemote),
    (files) => openTable(files, { sha256 }),
    new LRUCache<string, SnapshotTable>({
      maxSize: MAX_INDEX_BYTES,
      sizeCalculation: ({ bytes }) => bytes,
    }),
  )

const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer')

/** Opens snapshots of places, and keeps what is opened. */
export function createOpened<Kind extends object>(
  places: readonly SnapshotFiles[],
  open: (files: SnapshotFiles) => Promise<Kind | null>,
  opened: LRUCache<string, Kind>,
): Opened<Kind> {
  async function readIn<T>(place: number, folder: string, use: (opened: Kind) => Promise<T>) {
    const key = `${place} ${folder}`
    const kept = opened.get(key)
    if (kept !== undefined) {
      try {
        return { found: await use(kept) }
      } catch (error) {
        // A fault of the request, not of the files.
        if (isOfRequest(error)) throw error
        // Its files may have been replaced or removed since it was opened.
        opened.delete(key)
      }
    }
    const files = places[place]
    const found = files === undefined ? null : await open(filesBelow(files, folder))
    if (found === null) return null
    const answer = { found: await use(found) }
    opened.set(key, found)
    return answer
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
          if (isOfRequest(error)) throw error
          fault ??= faultOf(error, { feedId, root })
        }
      }
      if (fault !== null) throw fault
      return null
    },
  }
}

/** Whether an error says that the files are whole, and the request asks for what they do not have. */
const isOfRequest = (error: unknown): boolean =>
  error instanceof WattfeedError &&
  !(error instanceof DatasetError) &&
  !(error instanceof TableIndexMissingError) &&
  !(error instanceof HttpFilesError)

function faultOf(error: unknown, of: DatasetRoot): WattfeedError {
  if (error instanceof DatasetError) return new SnapshotFaultError({ ...of, rule: error.message })
  if (isSystemError(error)) return new SnapshotFaultError({ ...of, rule: systemReason(error) })
  if (error instanceof WattfeedError) return error
  throw error
}
