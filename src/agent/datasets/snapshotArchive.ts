import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing, systemReason } from '@wattfeed/base'
import { writeAtomically } from '@wattfeed/base/disk'
import { DatasetError, isRoot } from '@wattfeed/dataset'
import {
  ARCHIVE,
  archivePath,
  createDifference,
  type DifferenceHeader,
  MAX_HEADER_BYTES,
  parseHeader,
} from '@wattfeed/dataset/archive'
import { folderFiles } from '@wattfeed/dataset/disk'
import { COUNTS } from './periodCounts.ts'

/** A root whose snapshot can no longer be rebuilt, although it should be. */
export interface NotKept {
  readonly root: string
  readonly why: string
}

const EXTENSION = '.diff'

/** Lists the differences of an archive, those first that no other needs. What is none stays where it is. */
async function listArchive(out: string): Promise<DifferenceHeader[]> {
  const names = (await readdir(join(out, ARCHIVE)).catch(nullIfMissing)) ?? []
  const roots = names
    .filter((name) => name.endsWith(EXTENSION))
    .map((name) => name.slice(0, -EXTENSION.length))
  const headers = await Promise.all(roots.filter(isRoot).map((root) => readHeader(out, root)))
  return headers.filter((header) => header !== null).sort((a, b) => a.number - b.number)
}

/** The roots from which the differences of an archive lead to others. */
export const listBases = async (out: string): Promise<ReadonlySet<string>> =>
  new Set((await listArchive(out)).map(({ base }) => base))

async function readHeader(out: string, root: string): Promise<DifferenceHeader | null> {
  const path = archivePath(root)
  await using file = await open(join(out, path))
  const { buffer } = await file.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0)
  try {
    const header = parseHeader(buffer, path)
    return header.root === root ? header : null
  } catch (error) {
    if (error instanceof DatasetError) return null
    throw error
  }
}

/**
 * Writes a snapshot into the archive, as a difference against a later one. If the disk is full, the oldest differences make room. Returns
 * what is not kept, which may be the snapshot itself.
 */
export async function archiveSnapshot(out: string, root: string, base: string): Promise<NotKept[]> {
  const archive = await listArchive(out)
  const [number, notKept] = [1 + (archive.at(-1)?.number ?? 0), [] as NotKept[]]
  try {
    const files = (name: string) => folderFiles(join(out, name))
    const bytes = await createDifference(files(root), files(base), { number, others: [COUNTS] })
    for (const oldest of [...archive, null]) {
      const fault = await tryWrite(join(out, archivePath(root)), bytes)
      if (fault === null) return notKept
      const lost = oldest?.root ?? root
      notKept.push({ root: lost, why: 'the disk is full' })
      if (oldest === null) return notKept
      await removeDifference(out, oldest.root)
    }
    return notKept
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error
    return [...notKept, { root, why: error.message }]
  }
}

/** Writes a file; returns the error if the disk is full. */
async function tryWrite(path: string, bytes: Uint8Array): Promise<unknown> {
  try {
    await writeAtomically(path, bytes, 0o644)
    return null
  } catch (error) {
    if (systemReason(error) !== 'ENOSPC') throw error
    return error
  }
}

const UNFINISHED = /\.diff\.[0-9a-f-]{36}\.new$/

/** Removes the unfinished differences of killed runs. Nobody else may write there now. */
export async function removeUnfinished(out: string): Promise<void> {
  const names = (await readdir(join(out, ARCHIVE)).catch(nullIfMissing)) ?? []
  for (const name of names) if (UNFINISHED.test(name)) await rm(join(out, ARCHIVE, name), { force: true })
}

const removeDifference = (out: string, root: string): Promise<void> =>
  rm(join(out, archivePath(root)), { force: true })

/** Removes the oldest differences beyond a number; null keeps all. None is removed that another needs. */
export async function trimArchive(out: string, keep: number | null): Promise<void> {
  if (keep === null) return
  const archive = await listArchive(out)
  for (const { root } of archive.slice(0, Math.max(0, archive.length - keep)))
    await removeDifference(out, root)
}

/** Removes the differences that lead to no snapshot any more, and returns them. */
export async function removeBroken(out: string, why: string): Promise<NotKept[]> {
  const archive = await listArchive(out)
  const snapshots = new Set((await readdir(out)).filter(isRoot))
  const reachable = new Set(snapshots)
  // Those with larger numbers first, because the others need them.
  const broken = archive.toReversed().filter(({ root, base }) => {
    if (!reachable.has(base)) return !snapshots.has(root)
    reachable.add(root)
    return false
  })
  for (const { root } of broken) await removeDifference(out, root)
  return broken.map(({ root }) => ({ root, why }))
}

/** Removes all differences, so that a newer snapshot has room, and returns them. */
export async function clearArchive(out: string): Promise<NotKept[]> {
  const archive = await listArchive(out)
  for (const { root } of archive) await removeDifference(out, root)
  return archive.map(({ root }) => ({ root, why: 'the disk is full' }))
}
