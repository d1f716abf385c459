import { closeSync, fsyncSync, openSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** Returns a name beside a file for its next content. Process ids do not tell containers apart: each program there is 1. */
export const temporaryOf = (path: string): string => `${path}.${crypto.randomUUID()}.new`

type Content = string | Uint8Array | AsyncIterable<Uint8Array>

/**
 * Replaces a file atomically: after any crash it has the old content or the new one. Only the owner may read it by default.
 */
export async function writeAtomically(path: string, content: Content, mode = 0o600): Promise<void> {
  const folder = dirname(resolve(path))
  const firstNew = await mkdir(folder, { recursive: true })
  const temporary = temporaryOf(path)
  try {
    await writeThrough(temporary, content, { flags: 'w', mode })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  syncFolders(folder, firstNew)
}

/** Writes to a file through to the disk; if it is new, its name follows with {@link syncFolder}. */
export async function writeThrough(
  path: string,
  content: Content,
  { flags, mode }: { flags: 'w' | 'wx' | 'a'; mode?: number },
): Promise<void> {
  const file = await open(path, flags, mode)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Writes a folder's names through to the disk: without this, a power failure may lose a new one. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/**
 * Syncs a folder, and the parents of folders that were created for it, where each is a new name.
 *
 * @param firstNew the outermost one that was created, as `mkdir` returns it
 */
export function syncFolders(folder: string, firstNew: string | undefined): void {
  syncFolder(folder)
  if (firstNew === undefined) return
  const first = resolve(firstNew)
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncFolder(dirname(made))
}
