import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { defineError, nullIfMissing, systemReason, WattfeedError } from '@wattfeed/base'
import { isRoot, MANIFEST, type Manifest, parseManifest } from '@wattfeed/dataset'

/** A folder has a root as its name, and is not the snapshot with this root. */
const SnapshotFolderError = defineError(
  'SnapshotFolderError',
  'snapshot_folder',
  (facts: { folder: string; reason: string }) =>
    `${facts.folder} is no whole snapshot (${facts.reason}); move it away, and take the snapshot again`,
)

const UNFINISHED = /^\.snapshot-[0-9a-f-]{36}\.new$/

/** Returns a name for a folder that is being written or removed. */
export const newFolder = (out: string): string => join(out, `.snapshot-${crypto.randomUUID()}.new`)

/** Removes the unfinished folders of killed runs. Nobody else may write there now. */
export async function removeLeftovers(out: string): Promise<void> {
  for (const name of await readdir(out))
    if (UNFINISHED.test(name)) await rm(join(out, name), { recursive: true, force: true })
}

/** Returns the manifest of the snapshot with a root; null if nothing has its name. @throws {SnapshotFolderError} */
export async function readSnapshot(out: string, root: string): Promise<Manifest | null> {
  const folder = join(out, root)
  try {
    const manifest = parseManifest(await readFile(join(folder, MANIFEST), 'utf8'))
    if (manifest.root === root) return manifest
    throw new SnapshotFolderError({ folder, reason: `its manifest has the root ${manifest.root}` })
  } catch (error) {
    if (error instanceof SnapshotFolderError) throw error
    if (error instanceof WattfeedError) throw new SnapshotFolderError({ folder, reason: error.message })
    nullIfMissing(error)
  }
  const found = await readdir(folder).catch((error: unknown) =>
    systemReason(error) === 'ENOENT' ? null : [],
  )
  if (found === null) return null
  throw new SnapshotFolderError({ folder, reason: `it has no ${MANIFEST}` })
}

/**
 * Removes all but the newest snapshots of a dataset. What is no snapshot, or of another dataset, stays.
 *
 * @param newest - the one that was taken last. It may have been read before others, if EIA took changes back.
 * @param keep - how many stay, with the newest; at least 1
 * @param spare - the root of one that stays besides them
 */
export async function pruneSnapshots(
  out: string,
  newest: Manifest,
  { keep, spare }: { keep: number; spare: string | null },
): Promise<void> {
  const found = await Promise.all(
    (await readdir(out)).filter(isRoot).map((root) => readIfSnapshot(out, root)),
  )
  const others = found
    .filter((manifest) => manifest !== null)
    .filter(({ route, frequency }) => route === newest.route && frequency === newest.frequency)
    .filter(({ root }) => root !== newest.root)
    .sort((a, b) => b.retrievedAt - a.retrievedAt)
  for (const { root } of others.slice(Math.max(0, keep - 1)))
    if (root !== spare) await removeSnapshot(out, root)
}

const readIfSnapshot = (out: string, root: string): Promise<Manifest | null> =>
  readSnapshot(out, root).catch((error: unknown) => {
    if (error instanceof SnapshotFolderError) return null
    throw error
  })

/** Removes a snapshot in one step: what is left of it after a crash has no root as its name. */
async function removeSnapshot(out: string, root: string): Promise<void> {
  const removed = newFolder(out)
  await rename(join(out, root), removed)
  await rm(removed, { recursive: true, force: true })
}
