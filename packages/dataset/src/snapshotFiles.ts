import { DatasetError } from './errors.ts'

/** The static files of a snapshot: a folder, or a web server. */
export interface SnapshotFiles {
  /**
   * Reads a file by its path in the snapshot; null if it is missing.
   *
   * @throws {DatasetError} if it is larger than `maxBytes`.
   */
  read(path: string, maxBytes: number): Promise<Uint8Array | null>
  /** Whether each read is a request to a server, so that thousands take long. @default false */
  readonly isRemote?: boolean
}

/** Returns the files of a folder below others: of a snapshot in a folder of snapshots. */
export const filesBelow = (files: SnapshotFiles, folder: string): SnapshotFiles => ({
  ...files,
  read: (path, maxBytes) => files.read(`${folder}/${path}`, maxBytes),
})

/** Reads a file that a snapshot must have. @throws {DatasetError} if it is missing or too large. */
export async function readFile(files: SnapshotFiles, path: string, maxBytes: number): Promise<Uint8Array> {
  const found = await files.read(path, maxBytes)
  if (found === null) throw new DatasetError({ what: path, rule: 'is missing' })
  return found
}
