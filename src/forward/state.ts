import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { POSITION_RULE, parsePosition } from '../live/position.ts'
import {
  type DatabaseSchema,
  type OpenDatabaseOptions,
  openDatabase,
  orStateFileError,
  StateFileError,
  writeTransaction,
} from '../runtime/database.ts'
import { parseJson } from '../runtime/parseJson.ts'
import { readJsonFile, readTextFile } from '../runtime/readJsonFile.ts'
import { textOf } from '../runtime/settings/textTypes.ts'
import { syncFolder } from '../runtime/writeAtomically.ts'

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

/** A position of the stream, as text. */
export const positionText = textOf(POSITION_RULE, (text) => (parsePosition(text) === null ? undefined : text))

const text = Type.String()

const DeadLetter = Type.Object({
  id: text,
  type: Type.Union([Type.Literal('attested'), Type.Literal('feed'), Type.Literal('reset')]),
  feed_id: Type.Union([Type.Null(), text]),
  position: text,
  /** When the forwarder gave up, in epoch milliseconds. */
  failed_at: Type.Integer(),
  attempts: Type.Integer({ minimum: 1 }),
  status: Type.Union([Type.Null(), Type.Integer()]),
  reason: text,
  body: text,
})

export type DeadLetter = Static<typeof DeadLetter>

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
const INSERT_POSITION = 'INSERT INTO position VALUES (1, ?) ON CONFLICT (id)'
const SELECT_LETTERS =
  'SELECT id, type, feed_id, position, failed_at, attempts, status, reason, body FROM dead_letter ORDER BY number'
const INSERT_LETTER = `
  INSERT INTO dead_letter (id, type, feed_id, position, failed_at, attempts, status, reason, body)
  VALUES ($id, $type, $feed_id, $position, $failed_at, $attempts, $status, $reason, $body) ON CONFLICT (id)`

/**
 * Opens `forward.db` in a folder. What an older version kept in files of its own moves there.
 *
 * @throws {StateFileError} if the file cannot be used, or a file of the older version is damaged.
 */
export async function openState(
  folder: string,
  options: Pick<OpenDatabaseOptions, 'fileSystemOf'> = {},
): Promise<State> {
  const path = join(folder, 'forward.db')
  using resources = new DisposableStack()
  const database = resources.use(openDatabase(path, schema, options))
  const read = <T>(work: () => T): T => orStateFileError(path, work)
  const write = (work: () => void): void => orStateFileError(path, () => writeTransaction(database, work))

  // A transaction that changes nothing writes nothing.
  const setPosition = (position: string): void =>
    void database
      .query(
        `${INSERT_POSITION} DO UPDATE SET position = excluded.position WHERE position <> excluded.position`,
      )
      .run(position)
  const setLetter = (letter: DeadLetter): void =>
    void database
      .query(
        `${INSERT_LETTER} DO UPDATE SET
         type = excluded.type, feed_id = excluded.feed_id, position = excluded.position, body = excluded.body,
         failed_at = excluded.failed_at, attempts = excluded.attempts, status = excluded.status, reason = excluded.reason`,
      )
      .run(letter)

  const old = await readOldFiles(folder)
  write(() => {
    if (old.position !== null) database.query(`${INSERT_POSITION} DO NOTHING`).run(old.position)
    for (const letter of old.letters ?? []) database.query(`${INSERT_LETTER} DO NOTHING`).run(letter)
  })
  await putAside(folder, old)

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

const OLD_POSITION = 'position.json'
const OLD_LETTERS = 'dead-letters.jsonl'

/** What an older version kept in files; null for a file that does not exist. */
interface OldState {
  readonly position: string | null
  readonly letters: readonly DeadLetter[] | null
}

const failOf = (path: string) => (rule: string) => new StateFileError({ path, rule })

async function readOldFiles(folder: string): Promise<OldState> {
  const path = join(folder, OLD_POSITION)
  const stored = await readJsonFile(path, {
    schema: Type.Object({ position: positionText }),
    kind: 'a position',
    cure: 'restore {"position": "…"} with the position of the last message received, or remove the file and pass that position as --after',
    fail: failOf(path),
  })
  return { position: stored?.position ?? null, letters: await readOldLetters(join(folder, OLD_LETTERS)) }
}

const OldLine = Type.Union([Type.Object({ replayed: text }), DeadLetter])

async function readOldLetters(path: string): Promise<DeadLetter[] | null> {
  const content = await readTextFile(path, { fail: failOf(path) })
  if (content === null) return null
  const letters = new Map<string, DeadLetter>()
  // The message of a line that a crash cut off is sent again, because the position has not moved past it.
  const lines = content.split('\n').slice(0, -1)
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    const value = parseJson(line)
    if (!Value.Check(OldLine, value))
      throw new StateFileError({ path, rule: `line ${index + 1} is not a dead letter; correct or remove it` })
    if ('replayed' in value) letters.delete(value.replayed)
    else letters.set(value.id, value)
  }
  return [...letters.values()]
}

/** Renames the files that are in the database. After a crash before this, the next run imports them again: no change. */
async function putAside(folder: string, { position, letters }: OldState): Promise<void> {
  const names = [...(position === null ? [] : [OLD_POSITION]), ...(letters === null ? [] : [OLD_LETTERS])]
  for (const path of names.map((name) => join(folder, name)))
    orStateFileError(path, () => renameSync(path, `${path}.imported`))
  if (names.length > 0) syncFolder(folder)
}
