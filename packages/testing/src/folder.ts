import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder that is removed when it is disposed of. */
export interface Folder extends Disposable {
  path: string
  /** Writes a file into it and returns its path. */
  write(name: string, content: string | Uint8Array, mode?: number): string
}

/** The folders that tests of this process created; `leftBehind.ts` checks that they are gone. */
export const createdFolders: string[] = []

/** Folders in memory, where Linux has them. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/**
 * Creates an empty temporary folder. One in memory suits small files that are written very often: each of their writes waits
 * for the disk otherwise, and a killed process loses nothing in either place.
 */
export function createFolder(where: 'on disk' | 'in memory' = 'on disk'): Folder {
  const path = mkdtempSync(join(where === 'in memory' ? MEMORY : tmpdir(), 'wattfeed-'))
  createdFolders.push(path)
  return {
    path,
    write(name, content, mode = 0o600) {
      const file = join(path, name)
      writeFileSync(file, content)
      chmodSync(file, mode)
      return file
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
