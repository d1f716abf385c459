import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { defineError, nullIfMissing } from '@wattfeed/base'
import { acquireLock, syncFolder, writeThrough } from '@wattfeed/base/disk'
import { DatasetError, FACETS, MANIFEST, parseManifest } from '@wattfeed/dataset'
import { archivePath, openArchived } from '@wattfeed/dataset/archive'
import { folderFiles, writeTree } from '@wattfeed/dataset/disk'
import { newFolder, removeLeftovers, TABLE } from './snapshotFolders.ts'
import { syncFoldersIn, writeTable } from './writeSnapshot.ts'

/** An archive has no difference of a root. */
const NotArchivedError = defineError(
  'NotArchivedError',
  'not_archived',
  (facts: { out: string; root: string }) =>
    `the archive has no ${join(facts.out, archivePath(facts.root))}; name the folder of the dataset, and a root that is there`,
)

/** What a difference may take in memory: more than a server allows. */
const MAX_BYTES = 2 ** 32

/**
 * Rebuilds a snapshot of the archive in a folder that has its root as its name, byte for byte, but without what EIA said of the dataset. The
 * difference stays, so that others can need it.
 *
 * @throws {NotArchivedError} if there is no difference of the root.
 * @throws {DatasetError} if a file of the archive, or of the snapshot that it needs, is wrong.
 * @throws {LockedError} if another process takes a snapshot there.
 */
export async function restoreSnapshot(
  out: string,
  root: string,
): Promise<{ readonly folder: string; readonly isNew: boolean }> {
  const folder = join(out, root)
  if ((await stat(join(folder, MANIFEST)).catch(nullIfMissing)) !== null) return { folder, isNew: false }
  if ((await stat(join(out, archivePath(root))).catch(nullIfMissing)) === null)
    throw new NotArchivedError({ out, root })
  using _ = acquireLock(join(out, '.snapshot.lock'), 'snapshot')
  await removeLeftovers(out)
  const archived = await openArchived(folderFiles(out), root, MAX_BYTES)
  if (archived === null) throw new NotArchivedError({ out, root })
  const manifest = parseManifest(new TextDecoder().decode(archived.kept.get(MANIFEST)))
  const temporary = newFolder(out)
  try {
    await mkdir(temporary)
    const written = await writeTree(temporary, archived.leaves())
    if (written.root !== root)
      throw new DatasetError({ what: archivePath(root), rule: `leads to ${written.root}` })
    await rm(join(temporary, FACETS), { force: true })
    await writeTable(join(temporary, TABLE), manifest.facets, archived.leaves())
    for (const [name, bytes] of archived.kept)
      if (!name.includes('/')) await writeThrough(join(temporary, name), bytes, { flags: 'w' })
    await syncFoldersIn(temporary)
    await rename(temporary, folder)
    syncFolder(out)
    return { folder, isNew: true }
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}
