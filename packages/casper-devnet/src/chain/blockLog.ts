import { join } from 'node:path'
import { defineError } from '@wattfeed/base'
import {
  acquireLock,
  type DatabaseSchema,
  openDatabase,
  orStateFileError,
  writeTransaction,
} from '@wattfeed/base/disk'

export interface ChainIdentity {
  chainName: string
  /** Hash of the seed, in hex. */
  seedHash: string
  /** Hash of the genesis accounts, in hex. */
  accountsHash: string
}

/** The directory contains a different chain. */
export const ForeignDataError = defineError(
  'ForeignDataError',
  'foreign_data',
  (facts: { path: string; rule: string }) =>
    `${facts.path} does not belong to this chain: ${facts.rule}; use another --data directory`,
)

export interface BlockLog {
  /** Appends a record. It is on the disk when this returns. @throws {StateFileError} */
  append(record: unknown): void
  /** Removes all records after the first `count`. They are off the disk when this returns. @throws {StateFileError} */
  truncate(count: number): void
  close(): void
}

const schema: DatabaseSchema = {
  applicationId: 0x7766_0003,
  migrations: [
    `CREATE TABLE identity (chain_name TEXT NOT NULL, seed_hash TEXT NOT NULL, accounts_hash TEXT NOT NULL) STRICT;
    CREATE TABLE record (number INTEGER PRIMARY KEY, json TEXT NOT NULL) STRICT`,
  ],
}

const LOG_FILE = 'blocks.db'

/**
 * Opens the log of a chain, locks its directory until it is closed, and calls `replay` with every record, oldest first.
 *
 * @throws {ForeignDataError | StateFileError | LockedError}
 */
export function openBlockLog(
  directory: string,
  identity: ChainIdentity,
  replay: (record: unknown) => void,
): BlockLog {
  using resources = new DisposableStack()
  resources.use(acquireLock(join(directory, 'lock')))
  const path = join(directory, LOG_FILE)
  const database = resources.use(openDatabase(path, schema))
  orStateFileError(path, () => {
    const found = database
      .query<ChainIdentity, []>(
        'SELECT chain_name AS chainName, seed_hash AS seedHash, accounts_hash AS accountsHash FROM identity',
      )
      .get()
    if (found !== null) assertIdentity(path, identity, found)
    else
      database
        .query('INSERT INTO identity VALUES (?, ?, ?)')
        .run(identity.chainName, identity.seedHash, identity.accountsHash)
    const records = database.query<{ json: string }, []>('SELECT json FROM record ORDER BY number')
    for (const { json } of records.iterate()) replay(JSON.parse(json))
  })
  const insert = database.query<null, [string]>('INSERT INTO record (json) VALUES (?)')
  // Records are numbered from 1, without gaps.
  const removeAfter = database.query<null, [number]>('DELETE FROM record WHERE number > ?')
  const open = resources.move()
  return {
    append: (record) =>
      orStateFileError(path, () => writeTransaction(database, () => void insert.run(JSON.stringify(record)))),
    truncate: (count) =>
      orStateFileError(path, () => writeTransaction(database, () => void removeAfter.run(count))),
    close: () => open.dispose(),
  }
}

function assertIdentity(path: string, identity: ChainIdentity, found: ChainIdentity): void {
  const { chainName, seedHash, accountsHash } = identity
  const refuse = (rule: string): never => {
    throw new ForeignDataError({ path, rule })
  }
  if (found.chainName !== chainName)
    refuse(`its chain name is ${JSON.stringify(found.chainName)}, not ${JSON.stringify(chainName)}`)
  if (found.seedHash !== seedHash) refuse('its seed differs (--seed)')
  if (found.accountsHash !== accountsHash) refuse('its genesis accounts differ (--accounts, --fund)')
}
