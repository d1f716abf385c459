import type { Database } from 'bun:sqlite'
import { defineError, isSystemError, systemReason, writeCure } from '@wattfeed/base'
import { LockedError, StateFileError, UnlockableError } from '@wattfeed/base/disk'
import type { Log } from '../../runtime/log.ts'
import type { SourcedAttestation } from '../plan/decide.ts'
import { addSources, isMoved, openArchiveDatabase } from './archiveDatabase.ts'
import { importArchive } from './importArchive.ts'

/** `ARCHIVE_FILE` cannot be written. Nothing was sent. */
export const ArchiveFileError = defineError(
  'ArchiveFileError',
  'archive_file',
  (facts: {
    path: string
    /** The fault with its file, and how to fix it. */
    rule: string
  }) => `nothing is attested without the archive: ${facts.rule}, or unset ARCHIVE_FILE`,
  { retryable: true },
)

/** Stores the rows behind the attested hashes, because EIA does not keep earlier versions of its rows. */
export interface Archive {
  /** Stores the sources of these attestations, each once; they are on disk once this resolves. @throws {ArchiveFileError} */
  append(attestations: readonly Pick<SourcedAttestation, 'source_hash' | 'source'>[]): Promise<void>
}

/**
 * Creates an archive: a SQLite database, which several processes may share. The first value opens it, and first imports
 * the lines of JSON that it was earlier. Disposing closes it.
 */
export function createArchive(
  path: string,
  options: {
    log: Pick<Log, 'info' | 'warn'>
    /** Epoch milliseconds. @default Date.now */
    now?: () => number
  },
): Archive & Disposable {
  const { log, now = Date.now } = options
  let opened: Database | null = null
  let last: Promise<void> = Promise.resolve()

  function close(): void {
    opened?.close()
    opened = null
  }

  async function open(): Promise<Database> {
    if (opened !== null && !isMoved(opened)) return opened
    close()
    await importArchive(path, { log })
    opened = openArchiveDatabase(path)
    return opened
  }

  async function write(attestations: Parameters<Archive['append']>[0]): Promise<void> {
    const sources = attestations.flatMap(({ source }) => source ?? [])
    if (sources.length > 0) addSources(await open(), sources, now())
  }

  return {
    append(attestations) {
      // One at a time, because the first one opens the file.
      const written = last.then(() => write(attestations))
      last = written.catch(() => {})
      return written.catch((error: unknown) => {
        throw new ArchiveFileError({ path, rule: ruleOf(path, error) })
      })
    },
    [Symbol.dispose]: close,
  }
}

/** Says what failed and how to fix it. @throws an unexpected error: it is a bug. */
function ruleOf(path: string, error: unknown): string {
  if (error instanceof StateFileError || error instanceof LockedError || error instanceof UnlockableError)
    return error.message
  if (!isSystemError(error)) throw error
  const reason = systemReason(error)
  return `${path} cannot be written (${reason}): ${writeCure(reason)}`
}
