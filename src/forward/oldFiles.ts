import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { parseJson } from '@wattfeed/base'
import { orStateFileError, StateFileError, syncFolder } from '@wattfeed/base/disk'
import { readJsonFile, readTextFile } from '../runtime/readJsonFile.ts'
import { DeadLetter } from './deadLetter.ts'
import { positionText } from './textTypes.ts'

const OLD_POSITION = 'position.json'
const OLD_LETTERS = 'dead-letters.jsonl'

/** What an older version kept; null for a file that does not exist. */
interface OldState {
  readonly position: string | null
  readonly letters: readonly DeadLetter[] | null
}

const failOf = (path: string) => (rule: string) => new StateFileError({ path, rule })

/** @throws {StateFileError} if a file is damaged */
export async function readOldFiles(folder: string): Promise<OldState> {
  const path = join(folder, OLD_POSITION)
  const stored = await readJsonFile(path, {
    schema: Type.Object({ position: positionText }),
    kind: 'a position',
    cure: 'restore {"position": "…"} with the position of the last message received, or remove the file and pass that position as --after',
    fail: failOf(path),
  })
  return { position: stored?.position ?? null, letters: await readOldLetters(join(folder, OLD_LETTERS)) }
}

const OldLine = Type.Union([Type.Object({ replayed: Type.String() }), DeadLetter])

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
export async function putOldFilesAside(folder: string, { position, letters }: OldState): Promise<void> {
  const names = [...(position === null ? [] : [OLD_POSITION]), ...(letters === null ? [] : [OLD_LETTERS])]
  for (const path of names.map((name) => join(folder, name)))
    orStateFileError(path, () => renameSync(path, `${path}.imported`))
  if (names.length > 0) syncFolder(folder)
}
