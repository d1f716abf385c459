import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Replaces a file atomically: after any crash it has the old content or the new one. Only the owner may read it.
 */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const folder = dirname(resolve(path))
  const firstNew = await mkdir(folder, { recursive: true })
  const temporary = `${path}.${process.pid}.new`
  try {
    await writeThrough(temporary, content)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(folder)
  if (firstNew !== undefined) await syncParents(folder, resolve(firstNew))
}

async function writeThrough(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Without this, a power failure may lose the new name. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Each folder that was created is a new name in its parent. */
async function syncParents(folder: string, firstNew: string): Promise<void> {
  for (let made = folder; made.length >= firstNew.length; made = dirname(made))
    await syncFolder(dirname(made))
}
