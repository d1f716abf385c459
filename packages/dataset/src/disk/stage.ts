import type { Database } from 'bun:sqlite'
import { sha256 } from '@noble/hashes/sha2.js'
import { encodeHex } from '@wattfeed/base'
import { openDatabase, orStateFileError, writeTransaction } from '@wattfeed/base/disk'
import { DatasetError } from '../errors.ts'
import { decodeKey, encodeKey, type Leaf } from '../leaf.ts'

/** What a stage collects. A stage with another plan starts again. */
export interface SnapshotPlan {
  readonly route: string
  readonly frequency: string
  /** Ids of the columns, sorted. */
  readonly columns: readonly string[]
  /** Ids of every facet, sorted. */
  readonly facets: readonly string[]
  /** How many of the newest periods are read; null for all. */
  readonly periods: number | null
  /** EIA's text of the first period; null for all. */
  readonly start: string | null
}

/** A row of a dataset, as EIA sent it. */
export interface StagedRow {
  readonly period: string
  /** In the order of the plan's facets. */
  readonly facets: readonly (string | null)[]
  /** In the order of the plan's columns. */
  readonly values: readonly { readonly value: string | null; readonly unit: string | null }[]
}

/** A page of rows, and how many rows the dataset has in all. */
export interface StagedPage {
  readonly rows: readonly StagedRow[]
  readonly total: number
}

/** How far a stage is. */
export interface StageProgress {
  readonly pages: number
  readonly rows: number
  /** Null before the first page. */
  readonly total: number | null
  /** When the first page was read, in epoch milliseconds; null before. */
  readonly startedAt: number | null
}

/** The rows of a snapshot while they are read, sorted on disk. A killed run resumes after its last page. */
export interface Stage extends Disposable {
  progress(): StageProgress
  /**
   * Adds the next page. False if the rows have moved since the page before, so that some may be missing or doubled. The total is
   * another then, or a row comes again, not beside its copy.
   *
   * @throws {DatasetError} if two different rows have one key.
   * @throws {StateFileError} if the disk is full.
   */
  add(page: StagedPage, now: number): boolean
  /** Whether this page equals the first one that was added. */
  isFirst(page: StagedPage): boolean
  /** Whether this row equals the last one that was added. */
  isLast(row: StagedRow): boolean
  /** Removes all rows. */
  clear(): void
  /** All leaves, in the order of their keys. */
  leaves(): Iterable<Leaf>
}

const schema = {
  applicationId: 0x77_66_64_73,
  migrations: [
    `CREATE TABLE stage (plan TEXT NOT NULL, total INTEGER, rows INTEGER NOT NULL, pages INTEGER NOT NULL,
       first TEXT, started_at INTEGER);
     CREATE TABLE leaves (key BLOB PRIMARY KEY, value TEXT, unit TEXT, row INTEGER NOT NULL) WITHOUT ROWID;`,
  ],
}

interface StageRow {
  plan: string
  total: number | null
  rows: number
  pages: number
  first: string | null
  started_at: number | null
}

/** Opens a stage, and empties one of another plan. @throws {StateFileError} */
export function openStage(path: string, plan: SnapshotPlan): Stage {
  const database = openDatabase(path, schema)
  const planText = JSON.stringify(plan)
  const read = () => database.query<StageRow, []>('SELECT * FROM stage').get()
  const write = <T>(work: () => T): T => orStateFileError(path, () => writeTransaction(database, work))
  const clear = () =>
    write(() => {
      database.run('DELETE FROM stage')
      database.run('DELETE FROM leaves')
      database.run('INSERT INTO stage (plan, rows, pages) VALUES (?, 0, 0)', [planText])
    })
  if (read()?.plan !== planText) clear()

  return {
    progress() {
      const { pages = 0, rows = 0, total = null, started_at = null } = read() ?? {}
      return { pages, rows, total, startedAt: started_at }
    },
    add(page, now) {
      const before = read()
      const { rows: first = 0, total = null } = before ?? {}
      if (total !== null && total !== page.total) return false
      return write(() => {
        const isAdded = addRows(database, page.rows, { plan, first })
        if (!isAdded) return false
        database.run(
          'UPDATE stage SET total = ?, rows = rows + ?, pages = pages + 1, first = coalesce(first, ?), started_at = coalesce(started_at, ?)',
          [page.total, page.rows.length, digestOf(page), now],
        )
        return true
      })
    },
    isFirst: (page) => read()?.first === digestOf(page),
    isLast(row) {
      const last = (read()?.rows ?? 0) - 1
      const find = database.query<StoredLeaf, [Uint8Array]>(FIND)
      return leavesOf(row, plan).every(({ key, value, unit }) => {
        const known = find.get(key)
        return known?.row === last && known.value === value && known.unit === unit
      })
    },
    clear,
    *leaves() {
      const rows = database.query<{ key: Uint8Array; value: string | null; unit: string | null }, []>(
        'SELECT key, value, unit FROM leaves ORDER BY key',
      )
      for (const { key, value, unit } of rows.iterate()) yield { ...decodeKey(key), value, unit }
    },
    [Symbol.dispose]: () => database.close(),
  }
}

/** A page's total and rows, hashed. */
const digestOf = ({ total, rows }: StagedPage): string =>
  encodeHex(sha256(new TextEncoder().encode(JSON.stringify([total, rows]))))

interface StoredLeaf {
  value: string | null
  unit: string | null
  row: number
}

const FIND = 'SELECT value, unit, row FROM leaves WHERE key = ?'

/** The leaves of a row, with their keys. */
function leavesOf({ period, facets, values }: StagedRow, plan: SnapshotPlan) {
  const { route, frequency } = plan
  const named = Object.fromEntries(plan.facets.map((id, index) => [id, facets[index] ?? null]))
  return plan.columns.map((column, index) => {
    const { value, unit } = values[index] ?? { value: null, unit: null }
    const key = encodeKey({ route, frequency, column, facets: named, period })
    return { key, value, unit }
  })
}

/** Adds the leaves of rows, numbered from `first`. False if one of them came before, and not just before. */
function addRows(
  database: Database,
  rows: readonly StagedRow[],
  { plan, first }: { plan: SnapshotPlan; first: number },
): boolean {
  const insert = database.query(
    'INSERT INTO leaves (key, value, unit, row) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const find = database.query<StoredLeaf, [Uint8Array]>(FIND)
  const move = database.query('UPDATE leaves SET row = ? WHERE key = ?')
  for (const [offset, row] of rows.entries())
    for (const { key, value, unit } of leavesOf(row, plan)) {
      if (insert.run(key, value, unit, first + offset).changes === 1) continue
      const known = find.get(key)
      if (known?.row !== first + offset - 1) return false
      if (known.value !== value || known.unit !== unit)
        throw new DatasetError({
          what: nameOf(key),
          rule: `EIA has two different rows: ${textOf(known)} and ${textOf({ value, unit })}`,
        })
      move.run(first + offset, key)
    }
  return true
}

function nameOf(key: Uint8Array): string {
  const { route, column, period, facets } = decodeKey(key)
  return `${route}, ${column}, ${period}, ${JSON.stringify(facets)}`
}

const textOf = ({ value, unit }: { value: string | null; unit: string | null }): string =>
  JSON.stringify(unit === null ? value : `${value} ${unit}`)
