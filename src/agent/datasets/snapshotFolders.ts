import { lstat, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { defineError, nullIfMissing } from '@wattfeed/base'
import {
  DatasetError,
  formatManifest,
  isRoot,
  MANIFEST,
  type Manifest,
  openSnapshot,
} from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import {
  archiveSnapshot,
  listBases,
  type NotKept,
  removeBroken,
  removeUnfinished,
  trimArchive,
} from './snapshotArchive.ts'

/** Something has a root as its name that is not even a broken snapshot with this root. */
const SnapshotFolderError = defineError(
  'SnapshotFolderError',
  'snapshot_folder',
  (facts: { folder: string; reason: string }) =>
    `${facts.folder} is not the snapshot of this root (${facts.reason}); move it away, and take the snapshot again`,
)

/** The rows of a snapshot as a table. It is UTF-8, so a lone surrogate in a value or unit is U+FFFD there. */
export const TABLE = 'series.parquet'

const UNFINISHED = /^\.snapshot-[0-9a-f-]{36}\.new$/

/** Returns a name for a folder that is being written or removed. */
export const newFolder = (out: string): string => join(out, `.snapshot-${crypto.randomUUID()}.new`)

/** Removes the unfinished folders of killed runs. Nobody else may write there now. */
export async function removeLeftovers(out: string): Promise<void> {
  for (const name of await readdir(out))
    if (UNFINISHED.test(name)) await rm(join(out, name), { recursive: true, force: true })
  await removeUnfinished(out)
}

/** What has the name of a root: its manifest if it is the whole snapshot; or else what is wrong with it. */
type Found =
  | { readonly manifest: Manifest; readonly fault: null }
  | { readonly manifest: null; readonly fault: string }

/**
 * Looks at what has the name of a root, and compares it with the same snapshot that is being written. Null if there is nothing.
 *
 * @param expected - its manifest, but for when and how many periods were read
 * @param written - a folder with the files that it must have, besides manifest and table
 * @throws {SnapshotFolderError} if it is not a folder, or the snapshot of another root. Somebody put it there.
 */
export async function findSnapshot(out: string, expected: Manifest, written: string): Promise<Found | null> {
  const folder = join(out, expected.root)
  if ((await lstat(folder).catch(nullIfMissing)) === null) return null
  const found = await stat(folder).catch(nullIfMissing)
  if (found?.isDirectory() !== true) throw new SnapshotFolderError({ folder, reason: 'it is not a folder' })
  try {
    const manifest = await readManifest(folder)
    const { root, periods, retrievedAt } = manifest
    if (root !== expected.root)
      throw new SnapshotFolderError({ folder, reason: `its manifest has the root ${root}` })
    if (formatManifest(manifest) !== formatManifest({ ...expected, periods, retrievedAt }))
      throw new DatasetError({ what: MANIFEST, rule: 'is not that of the values' })
    await assertSameFiles(folder, written)
    await assertWholeTable(join(folder, TABLE))
    return { manifest, fault: null }
  } catch (error) {
    if (error instanceof DatasetError) return { manifest: null, fault: error.message }
    throw error
  }
}

const missing = (what: string) => new DatasetError({ what, rule: 'is missing' })

/** @throws {DatasetError} if there is none */
async function readManifest(folder: string): Promise<Manifest> {
  const snapshot = await openSnapshot(folderFiles(folder))
  if (snapshot === null) throw missing(MANIFEST)
  return snapshot.manifest
}

/** @throws {DatasetError} for the first file that differs */
async function assertSameFiles(folder: string, written: string): Promise<void> {
  const files = folderFiles(folder)
  for (const entry of await readdir(written, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const file = join(entry.parentPath, entry.name)
    const [path, expected] = [relative(written, file), await readFile(file)]
    const found = await files.read(path, expected.length)
    if (found === null) throw missing(path)
    if (!expected.equals(found)) throw new DatasetError({ what: path, rule: 'is damaged' })
  }
}

const PARQUET_MARK = 'PAR1'

/** @throws {DatasetError} if the table is missing or cut */
async function assertWholeTable(path: string): Promise<void> {
  const stats = await stat(path).catch(nullIfMissing)
  if (stats?.isFile() !== true) throw missing(TABLE)
  await using file = await open(path)
  const { length } = PARQUET_MARK
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, Math.max(0, stats.size - length))
  if (buffer.toString() !== PARQUET_MARK) throw new DatasetError({ what: TABLE, rule: 'is cut' })
}

/** Which snapshots of a dataset stay, besides the one that was taken last. */
interface PruneOptions {
  /** How many stay, with that one; at least 1. */
  readonly keep: number
  /** The roots of those that stay besides them. */
  readonly spares: readonly string[]
  /** The roots of those that do not count, and are removed unless they are spares. But the archive may need one. */
  readonly unattested: ReadonlySet<string>
  /** How many the archive keeps; null for all. */
  readonly archived: number | null
}

/**
 * Removes all but the newest snapshots of a dataset, or puts them into the archive. What is no snapshot, or of another dataset, stays.
 * Returns what the archive does not keep, although it should.
 *
 * @param newest - the one that was taken last. It may have been read before others, if EIA took changes back.
 */
export async function pruneSnapshots(
  out: string,
  newest: Manifest,
  { keep, spares, unattested, archived }: PruneOptions,
): Promise<NotKept[]> {
  const found = await Promise.all(
    (await readdir(out)).filter(isRoot).map((root) => readIfSnapshot(out, root)),
  )
  const others = found
    .filter((manifest) => manifest !== null)
    .filter(({ route, frequency }) => route === newest.route && frequency === newest.frequency)
    .filter(({ root }) => root !== newest.root)
    .sort((a, b) => b.retrievedAt - a.retrievedAt)
    .map(({ root }) => root)
  const needed = await listBases(out)
  const isCounted = (root: string) => !unattested.has(root) || needed.has(root)
  const roots = [newest.root, ...others.filter(isCounted)]
  const notKept: NotKept[] = []
  // The oldest first, so that the next newer one is still there.
  for (const [at, root] of [...roots.entries()].slice(Math.max(1, keep)).reverse()) {
    if (spares.includes(root)) continue
    if (archived !== 0) notKept.push(...(await archiveSnapshot(out, root, roots[at - 1] ?? newest.root)))
    await removeSnapshot(out, root)
  }
  for (const root of others)
    if (!roots.includes(root) && !spares.includes(root)) await removeSnapshot(out, root)
  await trimArchive(out, archived)
  return [...notKept, ...(await removeBroken(out, 'a snapshot that it needs is not kept'))]
}

const readIfSnapshot = async (out: string, root: string): Promise<Manifest | null> => {
  const manifest = await readManifest(join(out, root)).catch((error: unknown) => {
    if (error instanceof DatasetError) return null
    throw error
  })
  return manifest?.root === root ? manifest : null
}

/**
 * Removes what has the name of a root, in one step: what is left of it after a crash has no root as its name.
 *
 * @param successor - a folder that gets the name instead
 */
export async function removeSnapshot(out: string, root: string, successor?: string): Promise<void> {
  const removed = newFolder(out)
  await rename(join(out, root), removed)
  if (successor !== undefined) await rename(successor, join(out, root))
  await rm(removed, { recursive: true, force: true })
}
