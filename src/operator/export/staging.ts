import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { parseJson } from '@wattfeed/base'
import { syncFolder, writeAtomically } from '@wattfeed/base/disk'
import { hasSize, isIntact } from './isIntact.ts'
import { DataFile, MANIFEST, readManifest } from './manifest.ts'

/**
 * The folder of a data set where new parts wait until all are there, at the paths that they will have in the data set. So
 * the data set changes from one state root to another in one step.
 */
export const STAGING = '.export'

/** Lists the finished parts. */
const LIST = 'parts.json'

const StagedPart = Type.Object({
  feed_id: Type.String(),
  decimals: Type.Number(),
  route: Type.String(),
  frequency: Type.String(),
  file: DataFile,
})

/** A part that was read and written, and is not in the data set yet. */
export type StagedPart = Static<typeof StagedPart>

const List = Type.Object({ purpose: Type.String(), parts: Type.Array(StagedPart) })

/** Everybody may read a data set, unless the umask denies it. */
export const PUBLIC_MODE = 0o666

const stagedPath = (out: string, path: string): string => join(out, STAGING, path)

/** Path of the next manifest, which is there only while the parts are moved into the data set. */
export const nextManifestPath = (out: string): string => stagedPath(out, MANIFEST)

/** Returns the parts that a killed run with the same purpose has finished. Parts of one purpose fit together. */
export async function readStaged(out: string, purpose: string): Promise<readonly StagedPart[]> {
  const text = await readFile(stagedPath(out, LIST), 'utf8').catch(() => '')
  const list = parseJson(text)
  if (!Value.Check(List, list) || list.purpose !== purpose) return []
  const isThere = await Promise.all(
    list.parts.map(({ file }) => hasSize(stagedPath(out, file.path), file.bytes)),
  )
  return list.parts.filter((_, index) => isThere[index])
}

export const dropStaged = (out: string): Promise<void> =>
  rm(join(out, STAGING), { recursive: true, force: true })

/** Writes a part. It counts as finished once it is listed. */
export const writeStaged = (out: string, { path }: DataFile, content: Uint8Array): Promise<void> =>
  writeAtomically(stagedPath(out, path), content, PUBLIC_MODE)

export const listStaged = (out: string, purpose: string, parts: readonly StagedPart[]): Promise<void> =>
  writeAtomically(stagedPath(out, LIST), JSON.stringify({ purpose, parts }))

/** Moves the parts of a manifest into the data set, and the manifest last. */
export async function commit(out: string, manifest: string): Promise<void> {
  await writeAtomically(nextManifestPath(out), manifest, PUBLIC_MODE)
  await finishCommit(out)
}

/**
 * Does the rest of a commit that was killed. Another user may own the folder, so only paths of parts are touched.
 *
 * @throws {DataSetError} if a manifest is invalid.
 */
export async function finishCommit(out: string): Promise<void> {
  const next = await readManifest(nextManifestPath(out), 'remove its folder, and run the export again')
  if (next === null) return
  const current = await readManifest(join(out, MANIFEST))
  const [before = [], files = []] = [current, next].map((stored) =>
    stored?.manifest.feeds.flatMap((feed) => feed.files),
  )
  const kept = new Set(files.map(({ path }) => path))
  for (const { path } of before) if (!kept.has(path)) await rm(join(out, path), { force: true })
  const folders = new Set(files.map(({ path }) => dirname(join(out, path))))
  for (const folder of folders) await mkdir(folder, { recursive: true })
  for (const file of files) {
    const location = stagedPath(out, file.path)
    // A run that had planned otherwise may have left a part with this path.
    if (await isIntact(location, file)) await rename(location, join(out, file.path))
  }
  for (const folder of [...folders, out]) syncFolder(folder)
  await rename(nextManifestPath(out), join(out, MANIFEST))
  syncFolder(out)
  await dropStaged(out)
}
