import { accessSync, constants } from 'node:fs'
import { defineError, systemReason } from '@wattfeed/base'
import { StateFileError } from '@wattfeed/base/disk'
import { hashSource, type Source } from 'wattfeed/provenance'
import { isJsonLines, readSources } from '../../agent/send/archiveDatabase.ts'
import { readArchiveLines } from '../../agent/send/archiveLines.ts'

export const ArchiveError = defineError(
  'ArchiveError',
  'archive',
  (facts: { path: string; rule: string }) => `${facts.path} ${facts.rule}`,
)
export type ArchiveError = InstanceType<typeof ArchiveError>

export type ArchivedRows = ReadonlyMap<string, Source>

/** An archive, and the numbers of its unreadable lines, from 1. A crash or a full disk cut them off. */
export interface Archive {
  readonly rows: ArchivedRows
  readonly brokenLines: readonly number[]
}

/**
 * Reads the agent's `ARCHIVE_FILE`, also while the agent runs, or lines of canonical JSON, whose broken ones are skipped.
 *
 * @throws {ArchiveError} if the file cannot be read, or all of its lines are broken.
 */
export async function readArchive(path: string): Promise<Archive> {
  assertReadable(path)
  return isJsonLines(path) ? readLines(path) : { rows: readDatabase(path), brokenLines: [] }
}

/** SQLite does not tell a file that this user may not read from one that it may not write. */
function assertReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    const reason = systemReason(error)
    if (reason === 'ENOENT')
      throw new ArchiveError({ path, rule: 'does not exist; name the ARCHIVE_FILE of an agent' })
    throw unreadable(path, reason)
  }
}

const unreadable = (path: string, reason: string): ArchiveError =>
  new ArchiveError({ path, rule: `cannot be read (${reason}); let this user read it` })

function readDatabase(path: string): ArchivedRows {
  try {
    return readSources(path)
  } catch (error) {
    if (error instanceof StateFileError) throw new ArchiveError({ path, rule: error.rule })
    throw error
  }
}

async function readLines(path: string): Promise<Archive> {
  const lines = await readArchiveLines(path).catch((error: unknown) => {
    throw unreadable(path, systemReason(error))
  })
  const { entries = [], broken = [] } = lines ?? {}
  if (entries.length === 0 && broken.length > 0)
    throw new ArchiveError({
      path,
      rule: `contains no canonical JSON of a value (line ${broken[0]} is the first invalid one); name the ARCHIVE_FILE of an agent`,
    })
  return { rows: new Map(entries.map((source) => [hashSource(source), source])), brokenLines: broken }
}
