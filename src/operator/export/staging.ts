import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readJsonLines } from '../../runtime/jsonLines.ts'
import { readJsonFile } from '../../runtime/readJsonFile.ts'
import { syncFolder, writeAtomically, writeThrough } from '../../runtime/writeAtomically.ts'
import { DataFile, DataSetError, MANIFEST, PartPath } from './manifest.ts'

/** File operations. Tests make any one of them fail. */
export interface Disk {
  /** Writes a file through to the disk. */
  write(path: string, content: string | Uint8Array): Promise<void>
  /** Appends to a file, through to the disk. */
  append(path: string, content: string): Promise<void>
  /** Replaces a file atomically. */
  replace(path: string, content: string): Promise<void>
  /** Renames a file into a folder, which is created if missing. */
  move(from: string, to: string): Promise<void>
  /** Removes a file or a folder; it may be gone. */
  remove(path: string): Promise<void>
  /** Writes a folder's names through to the disk. */
  sync(folder: string): Promise<void>
}

export const disk: Disk = {
  async write(path, content) {
    await mkdir(dirname(path), { recursive: true })
    // An existing file may be the remains of a crash, or somebody's link.
    await rm(path, { force: true })
    await writeThrough(path, content, { flags: 'wx' })
  },
  append: (path, content) => writeThrough(path, content, { flags: 'a' }),
  replace: writeAtomically,
  async move(from, to) {
    await mkdir(dirname(to), { recursive: true })
    await rename(from, to)
  },
  remove: (path) => rm(path, { recursive: true, force: true }),
  sync: async (folder) => syncFolder(folder),
}

const StagedName = Type.String({ pattern: '^[0-9]{1,12}$', error: 'a number of at most 12 digits' })

const StagedFile = Type.Object({
  feed_id: Type.String(),
  decimals: Type.Number(),
  route: Type.String(),
  frequency: Type.String(),
  /** Its name in the staging folder. */
  name: StagedName,
  file: DataFile,
})

/** A file that was read and written, and is not part of the data set yet. */
export type StagedFile = Static<typeof StagedFile>

/** A change to a data set. */
export interface Change {
  readonly files: readonly StagedFile[]
  /** Paths in the data set that are no longer valid. */
  readonly removals: readonly string[]
  readonly manifest: string
}

/**
 * Holds new files until all are complete, so that the data set changes from one state root to another in one step. A
 * journal lists the complete files.
 */
export interface Staging {
  /** The files that an earlier run of the same export has staged. */
  readonly staged: readonly StagedFile[]
  /** Adds files. One that a crash interrupts is not staged. */
  add(files: readonly (Omit<StagedFile, 'name'> & { content: Uint8Array })[]): Promise<StagedFile[]>
  /** Moves files into the data set, the manifest last. After a crash, {@link finishCommit} does the rest. */
  commit(change: Change): Promise<void>
}

/** The name of the folder where new files wait. */
export const STAGING = '.export'
const JOURNAL = 'journal.jsonl'
const COMMIT = 'commit.json'

/** The folder of a data set where its new files wait. */
export const stagingFolder = (out: string): string => join(out, STAGING)

/** Path of the record of a commit in progress. */
export const commitPath = (out: string): string => join(stagingFolder(out), COMMIT)

/** The schema of a commit in progress. The move of the manifest is not listed: it always comes last. */
const Commit = Type.Object({
  /** Names in the staging folder, and paths in the data set. */
  moves: Type.Array(Type.Tuple([StagedName, PartPath])),
  removals: Type.Array(PartPath),
})

type Commit = Static<typeof Commit>

/**
 * Opens the staging folder of a data set. Existing files are dropped unless they were staged for the same `purpose`, and
 * `keep` returns them. Files of two exports with the same purpose fit together.
 */
export async function openStaging(
  out: string,
  purpose: string,
  keep: (staged: readonly StagedFile[]) => Promise<readonly StagedFile[]>,
  files: Disk = disk,
): Promise<Staging> {
  const folder = stagingFolder(out)
  const journal = join(folder, JOURNAL)
  const staged = await keep(await readJournal(folder, purpose))
  if (staged.length === 0) await files.remove(folder)
  // Drops lines that a crash cut off, and files that are not staged any more.
  await files.replace(journal, [JSON.stringify({ purpose }), ...staged.map(formatLine), ''].join('\n'))
  let next = 1 + staged.reduce((highest, { name }) => Math.max(highest, Number(name)), -1)
  return {
    staged,
    async add(added) {
      const lines: StagedFile[] = []
      for (const { content, ...file } of added) {
        const name = String(next++)
        await files.write(join(folder, name), content)
        lines.push({ ...file, name })
      }
      await files.sync(folder)
      await files.append(journal, lines.map((line) => `${formatLine(line)}\n`).join(''))
      return lines
    },
    async commit({ files: added, removals, manifest }) {
      await files.write(join(folder, MANIFEST), manifest)
      const moves = added.map(({ name, file }): [string, string] => [name, file.path])
      const kept = new Set(moves.map(([, path]) => path))
      const commit: Commit = {
        removals: removals.filter((path) => !kept.has(path)),
        moves,
      }
      await files.replace(commitPath(out), JSON.stringify(commit))
      await finishCommit(out, files)
    },
  }
}

const formatLine = (file: StagedFile): string => JSON.stringify(file)

/** Returns the files of a journal that are there; none if it is not for this purpose. */
async function readJournal(folder: string, purpose: string): Promise<StagedFile[]> {
  const path = join(folder, JOURNAL)
  // A line that a crash cut off is not JSON.
  const lines = await readJsonLines(path, (value) => value ?? null).catch(() => null)
  const [head, ...others] = lines?.entries ?? []
  if (JSON.stringify(head) !== JSON.stringify({ purpose })) return []
  const files = others.filter((line) => Value.Check(StagedFile, line))
  const there = await Promise.all(files.map(({ name, file }) => hasSize(join(folder, name), file.bytes)))
  return files.filter((_, index) => there[index])
}

/** Whether a file is there, with so many bytes. */
export async function hasSize(path: string, bytes: number): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.size === bytes
}

/** Whether there is a file or a folder. */
export const isThere = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null

/**
 * Completes a commit that a crash interrupted: moves the remaining files into the data set.
 *
 * @throws {DataSetError} if it would move or remove anything but files of a data set.
 */
export async function finishCommit(out: string, files: Disk = disk): Promise<void> {
  const folder = stagingFolder(out)
  const commit = await readCommit(commitPath(out))
  if (commit === null) return
  const { removals } = commit
  const moves = [...commit.moves, [MANIFEST, MANIFEST] as const]
  for (const path of removals) await files.remove(join(out, path))
  for (const [name, path] of moves)
    if (await isThere(join(folder, name))) await files.move(join(folder, name), join(out, path))
  const changed = new Set([...moves.map(([, path]) => dirname(join(out, path))), out])
  for (const each of changed) await files.sync(each)
  await files.remove(commitPath(out))
  await files.remove(folder)
}

/** Another user may own the folder, so a commit is executed only if this program could have written it. */
const readCommit = (path: string): Promise<Commit | null> =>
  readJsonFile(path, {
    schema: Commit,
    kind: 'a commit of an export',
    cure: 'remove its folder, and run the export again',
    fail: (rule) => new DataSetError({ path, rule }),
  })
