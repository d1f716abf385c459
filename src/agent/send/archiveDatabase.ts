// cspell:ignore NOTADB
import { constants, Database, SQLiteError } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import {
  type DatabaseSchema,
  openDatabase,
  orStateFileError,
  StateFileError,
  writeTransaction,
} from '@wattfeed/base/disk'
import { canonicalJson, hashSource, type Source } from 'wattfeed/provenance'
import { parseSource } from './archiveLines.ts'

const schema: DatabaseSchema = {
  applicationId: 0x7766_0002,
  migrations: [
    `CREATE TABLE source (
      -- The source_hash of the attestation: the first 32 hex digits of the SHA-256 of "source".
      source_hash TEXT NOT NULL PRIMARY KEY,
      -- The canonical JSON of EIA's row: the text that is hashed.
      source TEXT NOT NULL,
      -- When it was archived, in UTC epoch milliseconds; null if it was imported from lines of JSON, which had no time.
      archived_at INTEGER
    ) STRICT`,
  ],
}

/** Opens the database of an archive, and creates it if it is missing. @throws {StateFileError} */
export const openArchiveDatabase = (path: string): Database => openDatabase(path, schema)

/** Adds sources that the database does not have, all or none. @throws {StateFileError} */
export function addSources(database: Database, sources: readonly Source[], archivedAt: number | null): void {
  const insert = database.query<null, [string, string, number | null]>(
    'INSERT INTO source (source_hash, source, archived_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  orStateFileError(database.filename, () => {
    writeTransaction(database, () => {
      for (const source of sources) insert.run(hashSource(source), canonicalJson(source), archivedAt)
    })
    // Copies the WAL into the file, so that a file that is copied or moved without its WAL has all sources.
    database.query('PRAGMA wal_checkpoint(PASSIVE)').get()
  })
}

/**
 * Reads all sources, oldest first, also while an agent adds some.
 *
 * @throws {StateFileError} if the file cannot be read, or a source does not have its hash.
 */
export function readSources(path: string): ReadonlyMap<string, Source> {
  using database = openDatabase(path, schema, { isReadOnly: true })
  const rows = orStateFileError(path, () => {
    // An agent that starts creates the file before its table.
    const hasTable = database.query("SELECT 1 FROM sqlite_schema WHERE name = 'source'").get() !== null
    if (!hasTable) return []
    return database
      .query<{ source_hash: string; source: string }, []>(
        'SELECT source_hash, source FROM source ORDER BY rowid',
      )
      .all()
  })
  return new Map(
    rows.map(({ source_hash, source: text }) => {
      const source = parseSource(text)
      if (source === null || hashSource(source) !== source_hash)
        throw new StateFileError({
          path,
          rule: `is damaged: the text of ${source_hash} does not have this hash; restore a backup`,
        })
      return [source_hash, source]
    }),
  )
}

/** Returns whether a file exists that is not SQLite's: an archive was lines of JSON before it was a database. */
export function isJsonLines(path: string): boolean {
  if (!existsSync(path)) return false
  try {
    // SQLite itself reads the header. If this process has the database open, closing another handle would release its locks.
    using database = new Database(path, { readonly: true })
    database.query('PRAGMA schema_version').get()
    return false
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error
    return error.code === 'SQLITE_NOTADB'
  }
}

/** Returns whether the file was moved or removed after it was opened: what is written now would not be found at its path. */
export function isMoved(database: Database): boolean {
  const answer = new Int32Array(2)
  database.fileControl(constants.SQLITE_FCNTL_HAS_MOVED, answer)
  return answer[0] !== 0
}
