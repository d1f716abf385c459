import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { StateFileError } from '../../runtime/database.ts'
import { parseJson } from '../../runtime/parseJson.ts'
import { writeMissing } from './lostPeriods.ts'
import type { AgentState } from './openState.ts'
import { recordSettledBlock } from './settledBlocks.ts'

const Newest = Type.Record(
  Type.String(),
  // Early versions stored only a time, which is not used.
  Type.Union([Type.Object({ height: Type.Integer(), before: Type.Integer() }), Type.Number()]),
)
const Gaps = Type.Record(
  Type.String(),
  Type.Object({
    latest: Type.Integer(),
    gaps: Type.Array(Type.Integer()),
    lost: Type.Array(Type.Integer()),
  }),
)
const text = Type.String()
const SentLine = Type.Union([
  Type.Object({ since: Type.Integer() }),
  Type.Object({
    sent: text,
    attestations: Type.Array(
      Type.Object({ feed_id: text, period: Type.Integer(), amount: text, source_hash: text }),
    ),
  }),
  Type.Object({ void: text }),
  Type.Object({ checked: text, count: Type.Integer(), found: Type.Array(text) }),
])
const Conviction = Type.Object({ leader: text, until: Type.Integer(), evidence: Type.Array(Type.Unknown()) })

/**
 * Imports what earlier versions stored in files of the folder, once, and renames each file to `….imported`. A kill in between
 * imports a file again, which changes nothing.
 *
 * @throws {StateFileError} if one of them cannot be read.
 */
export function importOldFiles(state: AgentState, stateDir: string): void {
  const { chainName, contract } = state.destination
  const imports = [
    { name: 'newest.json', read: importNewest },
    { name: `gaps-${chainName}.json`, read: importGaps },
    { name: `sent-${chainName}.jsonl`, read: importSent },
    { name: join('committee', chainName, contract, 'equivocations.jsonl'), read: importConvictions },
  ]
  for (const { name, read } of imports) {
    const path = join(stateDir, name)
    if (!existsSync(path)) continue
    state.file.write(() => read(state, path))
    renameSync(path, `${path}.imported`)
  }
  rmSync(join(stateDir, 'locks'), { recursive: true, force: true })
}

function importNewest(state: AgentState, path: string): void {
  for (const [feedId, block] of Object.entries(readJson(path, Newest)))
    if (typeof block === 'object') recordSettledBlock(state, [feedId], block)
}

function importGaps(state: AgentState, path: string): void {
  for (const [feedId, missing] of Object.entries(readJson(path, Gaps))) writeMissing(state, feedId, missing)
}

function importSent(state: AgentState, path: string): void {
  const { database } = state.file
  const id = state.destinationId()
  for (const line of readLines(path, SentLine)) {
    if ('since' in line)
      database.query('INSERT INTO comparison VALUES (?, ?) ON CONFLICT DO NOTHING').run(id, line.since)
    else if ('sent' in line)
      for (const [position, { feed_id, period, amount, source_hash }] of line.attestations.entries())
        database
          .query('INSERT INTO sent_value VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
          .run(line.sent, position, id, feed_id, period, amount, source_hash)
    else if ('void' in line)
      database.query('DELETE FROM sent_value WHERE transaction_hash = ?').run(line.void)
    else {
      database
        .query('INSERT OR REPLACE INTO compared_feed VALUES (?, ?, ?)')
        .run(id, line.checked, line.count)
      for (const [hash = '', position = ''] of line.found.map((found) => found.split(' ')))
        database
          .query('DELETE FROM sent_value WHERE transaction_hash = ? AND position = ?')
          .run(hash, Number(position))
    }
  }
}

function importConvictions({ file, destinationId }: AgentState, path: string): void {
  file.database.query('DELETE FROM equivocation WHERE destination_id = ?').run(destinationId())
  for (const { leader, until, evidence } of readLines(path, Conviction))
    file.database
      .query('INSERT INTO equivocation VALUES (?, ?, ?, ?)')
      .run(destinationId(), leader, until, JSON.stringify(evidence))
}

function readJson<T extends TSchema>(path: string, schema: T): Static<T> {
  const value = parseJson(readFileSync(path, 'utf8'))
  if (Value.Check(schema, value)) return value
  throw new StateFileError(
    path,
    'is not a file that an earlier version of wattfeed wrote; restore it from a backup or remove it',
  )
}

/** Lines that a crash cut off are skipped, as earlier versions did. */
const readLines = <T extends TSchema>(path: string, schema: T): Static<T>[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .map(parseJson)
    .filter((value): value is Static<T> => Value.Check(schema, value))
