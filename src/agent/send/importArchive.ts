import { linkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemReason } from '@wattfeed/base'
import { acquireLock, orStateFileError, StateFileError, syncFolder } from '@wattfeed/base/disk'
import type { Source } from 'wattfeed/provenance'
import type { Log } from '../../runtime/log.ts'
import { addSources, isJsonLines, openArchiveDatabase } from './archiveDatabase.ts'
import { readArchiveLines } from './archiveLines.ts'

/**
 * Replaces an archive of JSON lines by a database of the same name, and keeps the lines as `<path>.imported`. Does nothing
 * for any other file.
 *
 * The path names the lines or the whole database at every moment, so a killed import starts again.
 *
 * @throws {LockedError} while another process imports the file.
 * @throws {StateFileError} if the file is no archive, or `<path>.imported` is another file.
 * @throws the system's errors
 */
export async function importArchive(
  path: string,
  options: {
    log: Pick<Log, 'info' | 'warn'>
    /** Gives a file a second name. Tests replace it. */
    link?: (path: string, name: string) => void
    /** Renames a file. Tests replace it. */
    rename?: (path: string, name: string) => void
  },
): Promise<void> {
  const { log, link = linkSync, rename = renameSync } = options
  if (!isJsonLines(path)) return
  // A symbolic link stays, and its target is replaced.
  const file = realpathSync(path)
  using _lock = acquireLock(`${file}.lock`, 'import')
  // Another process may have imported it before this one had the lock.
  if (!isJsonLines(file)) return
  const { entries = [], broken = [] } = (await readArchiveLines(file)) ?? {}
  if (entries.length === 0 && broken.length > 0)
    throw new StateFileError({
      path: file,
      rule: `is neither an archive nor lines of canonical JSON (line ${broken[0]} is the first invalid one); move it away, or name another file in ARCHIVE_FILE`,
    })
  const kept = `${file}.imported`
  const built = buildDatabase(`${file}.importing`, entries)
  keepLines(file, kept, link)
  syncFolder(dirname(file))
  rename(built, file)
  syncFolder(dirname(file))
  log.info({ path: file, kept, sources: entries.length }, 'archive imported into a database')
  if (broken.length > 0)
    log.warn(
      {
        path: file,
        kept,
        lines: broken,
        detail: `${broken.length} lines, cut off by a crash or a full disk`,
      },
      'import of the archive skipped broken lines',
    )
}

/** Builds a database in one file, whole on disk. Returns its path. */
function buildDatabase(path: string, sources: readonly Source[]): string {
  // The remains of a killed import.
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true })
  using database = openArchiveDatabase(path)
  addSources(database, sources, null)
  // Moves everything from the WAL, which would keep its name, into the file.
  orStateFileError(path, () => database.run('PRAGMA journal_mode = DELETE'))
  return path
}

/** Gives the lines their second name, unless a killed import has done that. */
function keepLines(file: string, kept: string, link: (path: string, name: string) => void): void {
  try {
    link(file, kept)
  } catch (error) {
    if (systemReason(error) !== 'EEXIST') throw error
    if (statSync(kept).ino === statSync(file).ino) return
    throw new StateFileError({
      path: file,
      rule: `cannot be imported, because ${kept} exists; move ${kept} away`,
    })
  }
}
