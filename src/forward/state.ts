import { dirname, join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { WattfeedError } from '../errors.ts'
import { parsePosition } from '../live/position.ts'
import { parseJson } from '../runtime/parseJson.ts'
import { readTextFile } from '../runtime/readTextFile.ts'
import { systemReason } from '../runtime/systemReason.ts'
import { syncFolder, writeAtomically, writeThrough } from '../runtime/writeAtomically.ts'

/** Changes files; a test lets it fail at any step. */
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

/** A file of the state folder is not what a forwarder wrote. */
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

const text = Type.String()
const textOrNull = Type.Union([Type.Null(), text])

const DeadLetter = Type.Object({
  id: text,
  type: Type.Union([Type.Literal('attested'), Type.Literal('feed'), Type.Literal('reset')]),
  feed_id: textOrNull,
  position: text,
  /** When it was given up, in epoch milliseconds. */
  failed_at: Type.Number(),
  attempts: Type.Integer({ minimum: 1 }),
  status: Type.Union([Type.Null(), Type.Number()]),
  reason: text,
  body: text,
})

/** A message that was given up. */
export type DeadLetter = Static<typeof DeadLetter>

const Replayed = Type.Object({ replayed: text })

/** What a forwarder keeps in its folder; lock it first. */
export interface State {
  /** Returns the position after the last message that was delivered or is a dead letter; null before the first. */
  readPosition(): Promise<string | null>
  savePosition(position: string): Promise<void>
  /** Keeps a message; one of the same id is replaced. */
  addDeadLetter(letter: DeadLetter): Promise<void>
  /** Returns what was given up and not replayed, the oldest first. */
  listDeadLetters(): Promise<DeadLetter[]>
  /** Notes that a dead letter was delivered. */
  markReplayed(id: string): Promise<void>
  /** Drops what was replayed from the file, and keeps these. */
  rewriteDeadLetters(letters: readonly DeadLetter[]): Promise<void>
}

/** Opens the folder: cuts off what a crash has torn. */
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

async function readPosition(path: string): Promise<string | null> {
  const content = await readIfThere(path)
  if (content === null) return null
  const { position } = Object(parseJson(content))
  if (typeof position === 'string' && parsePosition(position) !== null) return position
  throw new ForwardFileError(
    path,
    'holds no position; put back {"position": "…"} with that of the last message received, or remove the file and name it by --after',
  )
}

/** The message of a torn line is sent again, since the position has not moved past it. */
async function cutTornLine(path: string, files: Disk): Promise<void> {
  const content = (await readIfThere(path)) ?? ''
  if (content !== '' && !content.endsWith('\n'))
    await files.replace(path, content.slice(0, content.lastIndexOf('\n') + 1))
}

async function listDeadLetters(path: string): Promise<DeadLetter[]> {
  const letters = new Map<string, DeadLetter>()
  const lines = ((await readIfThere(path)) ?? '').split('\n').slice(0, -1)
  for (const [index, line] of lines.entries()) {
    const value = parseJson(line)
    if (Value.Check(Replayed, value)) letters.delete(value.replayed)
    else if (Value.Check(DeadLetter, value)) letters.set(value.id, value)
    else throw new ForwardFileError(path, `has no dead letter on line ${index + 1}; mend or remove the line`)
  }
  return [...letters.values()]
}

const readIfThere = (path: string): Promise<string | null> =>
  readTextFile(path).catch((error) => {
    throw new ForwardFileError(path, `cannot be read (${systemReason(error)}); let this user read it`)
  })
