import { dirname, join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { WattfeedError } from '../errors.ts'
import { POSITION_RULE, parsePosition } from '../live/position.ts'
import { readJsonLines } from '../runtime/jsonLines.ts'
import { readJsonFile, readTextFile } from '../runtime/readJsonFile.ts'
import { systemReason } from '../runtime/systemReason.ts'
import { textOf } from '../runtime/textTypes.ts'
import { syncFolder, writeAtomically, writeThrough } from '../runtime/writeAtomically.ts'

/** File operations. Tests make any one of them fail. */
export interface Disk {
  /** Replaces a file atomically. */
  replace(path: string, content: string): Promise<void>
  /** Appends to a file, through to the disk. */
  append(path: string, content: string): Promise<void>
}

const disk: Disk = {
  replace: writeAtomically,
  async append(path, content) {
    await writeThrough(path, content, { flags: 'a', mode: 0o600 })
    await syncFolder(dirname(path))
  },
}

/** A file in the state folder was not written by a forwarder. */
export class ForwardFileError extends WattfeedError {
  static override readonly name = 'ForwardFileError'
  readonly code = 'forward_file'
  readonly retryable = false

  constructor(
    readonly path: string,
    readonly rule: string,
  ) {
    super(`${path} ${rule}`)
  }
}

/** A position of the stream, as text. */
export const positionText = textOf(POSITION_RULE, (text) => (parsePosition(text) === null ? undefined : text))

const text = Type.String()
const textOrNull = Type.Union([Type.Null(), text])

const DeadLetter = Type.Object({
  id: text,
  type: Type.Union([Type.Literal('attested'), Type.Literal('feed'), Type.Literal('reset')]),
  feed_id: textOrNull,
  position: text,
  /** When the forwarder gave up, in epoch milliseconds. */
  failed_at: Type.Number(),
  attempts: Type.Integer({ minimum: 1 }),
  status: Type.Union([Type.Null(), Type.Number()]),
  reason: text,
  body: text,
})

/** A message that could not be delivered. */
export type DeadLetter = Static<typeof DeadLetter>

const Replayed = Type.Object({ replayed: text })

const Line = Type.Union([Replayed, DeadLetter])

const Position = Type.Object({ position: positionText })

/** The state folder of a forwarder. Lock it before use. */
export interface State {
  /** Returns the position after the last message that was delivered or is a dead letter; null before the first. */
  readPosition(): Promise<string | null>
  savePosition(position: string): Promise<void>
  /** Stores a message; replaces one with the same id. */
  addDeadLetter(letter: DeadLetter): Promise<void>
  /** Returns the dead letters that were not replayed, oldest first. */
  listDeadLetters(): Promise<DeadLetter[]>
  /** Records that a dead letter was delivered. */
  markReplayed(id: string): Promise<void>
  /** Replaces the content of the file with these dead letters. */
  rewriteDeadLetters(letters: readonly DeadLetter[]): Promise<void>
}

/** Opens the folder, and removes a line that a crash cut off. */
export async function openState(folder: string, files: Disk = disk): Promise<State> {
  const positionFile = join(folder, 'position.json')
  const lettersFile = join(folder, 'dead-letters.jsonl')
  await cutTornLine(lettersFile, files)
  return {
    readPosition: () => readPosition(positionFile),
    savePosition: (position) => files.replace(positionFile, `${JSON.stringify({ position })}\n`),
    addDeadLetter: (letter) => files.append(lettersFile, lineOf(letter)),
    listDeadLetters: () => listDeadLetters(lettersFile),
    markReplayed: (replayed) => files.append(lettersFile, lineOf({ replayed })),
    rewriteDeadLetters: (letters) => files.replace(lettersFile, letters.map(lineOf).join('')),
  }
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`

const failOf = (path: string) => (rule: string) => new ForwardFileError(path, rule)

async function readPosition(path: string): Promise<string | null> {
  const stored = await readJsonFile(path, {
    schema: Position,
    kind: 'a position',
    cure: 'restore {"position": "…"} with the position of the last message received, or remove the file and pass that position as --after',
    fail: failOf(path),
  })
  return stored?.position ?? null
}

/** The message of an incomplete line is sent again, because the position has not moved past it. */
async function cutTornLine(path: string, files: Disk): Promise<void> {
  const content = (await readTextFile(path, { fail: failOf(path) })) ?? ''
  if (content !== '' && !content.endsWith('\n'))
    await files.replace(path, content.slice(0, content.lastIndexOf('\n') + 1))
}

async function listDeadLetters(path: string): Promise<DeadLetter[]> {
  const lines = await readJsonLines(path, (value) => (Value.Check(Line, value) ? value : null)).catch(
    (error) => {
      throw new ForwardFileError(path, `cannot be read (${systemReason(error)}); let this user read it`)
    },
  )
  const [broken] = lines?.broken ?? []
  if (broken !== undefined)
    throw new ForwardFileError(path, `line ${broken} is not a dead letter; correct or remove it`)
  const letters = new Map<string, DeadLetter>()
  for (const line of lines?.entries ?? []) {
    if ('replayed' in line) letters.delete(line.replayed)
    else letters.set(line.id, line)
  }
  return [...letters.values()]
}
