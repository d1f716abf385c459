import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type StaticDecode, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { StateFileError } from '@wattfeed/base/disk'
import { parseJsonLines } from '../../runtime/jsonLines.ts'
import type { Log } from '../../runtime/log.ts'
import { checkJson } from '../../runtime/readJsonFile.ts'
import { writeMissing } from './lostPeriods.ts'
import type { AgentState } from './openState.ts'
import { addSentValues, openSentLog, removeSentValues } from './sentLog.ts'
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
 * imports a file again, which changes nothing. Logs lines that a crash cut off.
 *
 * @throws {StateFileError} if one of them cannot be read.
 */
export function importOldFiles(state: AgentState, stateDir: string, log: Pick<Log, 'warn'>): void {
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
    const broken = state.file.write(() => read(state, path)) ?? []
    if (broken.length > 0) log.warn({ path, lines: broken }, 'import of an old file skipped broken lines')
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

/** Returns the numbers of the broken lines. */
function importSent(state: AgentState, path: string): readonly number[] {
  const { database } = state.file
  const log = openSentLog(state)
  const { entries, broken } = readLines(path, SentLine)
  for (const line of entries) {
    if ('since' in line) log.begin(line.since)
    else if ('sent' in line)
      addSentValues(state, { transaction_hash: line.sent, purpose: { attestations: line.attestations } })
    else if ('void' in line) removeSentValues(state, { transaction_hash: line.void })
    else {
      log.compare(line.checked, [], line.count)
      for (const [hash = '', position = ''] of line.found.map((found) => found.split(' ')))
        database
          .query('DELETE FROM sent_value WHERE transaction_hash = ? AND position = ?')
          .run(hash, Number(position))
    }
  }
  return broken
}

/** Returns the numbers of the broken lines. */
function importConvictions({ file, destinationId }: AgentState, path: string): readonly number[] {
  const { entries, broken } = readLines(path, Conviction)
  file.database.query('DELETE FROM equivocation WHERE destination_id = ?').run(destinationId())
  for (const { leader, until, evidence } of entries)
    file.database
      .query('INSERT INTO equivocation VALUES (?, ?, ?, ?)')
      .run(destinationId(), leader, until, JSON.stringify(evidence))
  return broken
}

const readJson = <T extends TSchema>(path: string, schema: T): StaticDecode<T> =>
  checkJson(readFileSync(path, 'utf8'), {
    schema,
    kind: 'a file that an earlier version of wattfeed wrote',
    cure: 'restore it from a backup or remove it',
    fail: (rule) => new StateFileError({ path, rule }),
  })

const readLines = <T extends TSchema>(path: string, schema: T) =>
  parseJsonLines(readFileSync(path, 'utf8'), (value) => (Value.Check(schema, value) ? value : null))
