import { join } from 'node:path'
import {
  type DatabaseSchema,
  type OpenDatabaseOptions,
  openDatabase,
  orStateFileError,
  writeTransaction,
} from '@wattfeed/base/disk'
import type { DeadLetter } from './deadLetter.ts'

const schema: DatabaseSchema = {
  applicationId: 0x7766_0001,
  migrations: [
    `CREATE TABLE position (
       id INTEGER PRIMARY KEY CHECK (id = 1), -- always 1: there is one position
       position TEXT NOT NULL -- in the server's stream, after the last message that was delivered or is a dead letter
     ) STRICT;
     CREATE TABLE dead_letter (
       number INTEGER PRIMARY KEY, -- counts the messages in the order in which they are sent again
       id TEXT NOT NULL UNIQUE, -- the message's id, the same in every run
       type TEXT NOT NULL CHECK (type IN ('attested', 'feed', 'reset')), -- what the message reports
       feed_id TEXT, -- the feed's id; null for a reset
       position TEXT NOT NULL, -- in the server's stream, after the message
       failed_at INTEGER NOT NULL, -- when the forwarder gave up, in UTC epoch milliseconds
       attempts INTEGER NOT NULL CHECK (attempts > 0), -- number of attempts until then
       status INTEGER, -- HTTP status of the last answer; null without an answer
       reason TEXT NOT NULL, -- why the last attempt failed
       body TEXT NOT NULL -- the message as JSON, with the bytes of every attempt
     ) STRICT;`,
  ],
}

/** The state of a forwarder, on disk when a call returns. Each call that fails has changed nothing. */
export interface State extends Disposable {
  /** Returns the position after the last message that was delivered or is a dead letter; null before the first. */
  readPosition(): string | null
  savePosition(position: string): void
  /** Stores a message, or replaces the one with the same id, and moves the position past it. */
  addDeadLetter(letter: DeadLetter): void
  /** Stores how a dead letter failed again. The position stays. */
  updateDeadLetter(letter: DeadLetter): void
  removeDeadLetter(id: string): void
  /** Returns the dead letters, oldest first. */
  listDeadLetters(): DeadLetter[]
}

const SELECT_POSITION = 'SELECT position FROM position'
// A transaction that changes nothing writes nothing.
const SET_POSITION = `
  INSERT INTO position VALUES (1, ?)
  ON CONFLICT (id) DO UPDATE SET position = excluded.position WHERE position <> excluded.position`
const SELECT_LETTERS =
  'SELECT id, type, feed_id, position, failed_at, attempts, status, reason, body FROM dead_letter ORDER BY number'
const SET_LETTER = `
  INSERT INTO dead_letter (id, type, feed_id, position, failed_at, attempts, status, reason, body)
  VALUES ($id, $type, $feed_id, $position, $failed_at, $attempts, $status, $reason, $body)
  ON CONFLICT (id) DO UPDATE SET
    type = excluded.type, feed_id = excluded.feed_id, position = excluded.position, body = excluded.body,
    failed_at = excluded.failed_at, attempts = excluded.attempts, status = excluded.status, reason = excluded.reason`

/**
 * Opens `forward.db` in a folder.
 *
 * @throws {StateFileError} if the file cannot be used.
 */
export function openState(folder: string, options: Pick<OpenDatabaseOptions, 'fileSystemOf'> = {}): State {
  const path = join(folder, 'forward.db')
  using resources = new DisposableStack()
  const database = resources.use(openDatabase(path, schema, options))
  const read = <T>(work: () => T): T => orStateFileError(path, work)
  const write = (work: () => void): void => orStateFileError(path, () => writeTransaction(database, work))

  const setPosition = (position: string): void => void database.query(SET_POSITION).run(position)
  const setLetter = (letter: DeadLetter): void => void database.query(SET_LETTER).run(letter)
  const owned = resources.move()
  return {
    readPosition: () =>
      read(() => database.query<{ position: string }, []>(SELECT_POSITION).get()?.position ?? null),
    savePosition: (position) => write(() => setPosition(position)),
    addDeadLetter: (letter) =>
      write(() => {
        setLetter(letter)
        setPosition(letter.position)
      }),
    updateDeadLetter: (letter) => write(() => setLetter(letter)),
    removeDeadLetter: (id) =>
      write(() => void database.query('DELETE FROM dead_letter WHERE id = ?').run(id)),
    listDeadLetters: () => read(() => database.query<DeadLetter, []>(SELECT_LETTERS).all()),
    [Symbol.dispose]: () => owned.dispose(),
  }
}
