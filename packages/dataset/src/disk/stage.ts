import type { Database } from 'bun:sqlite'
import { sha256 } from '@noble/hashes/sha2.js'
import { encodeHex, nameRow } from '@wattfeed/base'
import { openDatabase, orStateFileError, writeTransaction } from '@wattfeed/base/disk'
import { DatasetError } from '../errors.ts'
import { decodeKey, encodeKey, encodeLeaf, type Leaf, type LeafKey, MAX_LEAF_BYTES } from '../leaf.ts'
import { type StagedMember, StagedTexts, TEXT_TABLES, type TextsByCode } from './stagedTexts.ts'

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

/** A page of rows, and how many rows the dataset has in all. After the first page, each starts with the last row of the one before. */
export interface StagedPage {
  /** How many rows are before the first. */
  readonly offset: number
  readonly rows: readonly StagedRow[]
  readonly total: number
  /** The names of all members of the rows, in EIA's order. @default none */
  readonly members?: readonly string[]
  /** Members other than period, facets and columns. They do not count when pages are compared. @default none */
  readonly others?: readonly StagedMember[]
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
  /** The offsets of the pages, in their order. */
  offsets(): number[]
  /**
   * Adds the next page. False if the rows have moved since the page before, so that some may be missing or doubled. The total is
   * another then, the first row is not the last one of the page before, or a row comes again, not beside its copy.
   *
   * @throws {DatasetError} if two different rows have one key, or a row cannot be a leaf. It names the row.
   * @throws {StateFileError} if the disk is full.
   */
  add(page: StagedPage, now: number): boolean
  /** Returns whether this page equals the one that was added at its offset. */
  isSame(page: StagedPage): boolean
  /** Removes all rows. */
  clear(): void
  /** All leaves, in the order of their keys. */
  leaves(): Iterable<Leaf>
  /** The names of all members of rows, in the order in which they came. */
  members(): string[]
  /** What a member of rows says by the value of a facet. */
  textsOf(member: string, facet: string): TextsByCode
}

// SQLite's text loses a lone surrogate. So value and unit are JSON, which escapes it.
const schema = {
  applicationId: 0x77_66_64_73,
  migrations: [
    `CREATE TABLE stage (plan TEXT NOT NULL, total INTEGER, rows INTEGER NOT NULL, pages INTEGER NOT NULL,
       first TEXT, started_at INTEGER);
     CREATE TABLE leaves (key BLOB PRIMARY KEY, value TEXT, unit TEXT, row INTEGER NOT NULL) WITHOUT ROWID;`,
    `DROP TABLE stage;
     DROP TABLE leaves;
     CREATE TABLE stage (plan TEXT NOT NULL, total INTEGER, rows INTEGER NOT NULL, started_at INTEGER);
     CREATE TABLE pages (offset INTEGER PRIMARY KEY, digest TEXT NOT NULL);
     CREATE TABLE leaves (key BLOB PRIMARY KEY, content TEXT NOT NULL, row INTEGER NOT NULL) WITHOUT ROWID;`,
    // The pages that were read before have no names: they are read again.
    `DELETE FROM stage;
     DELETE FROM pages;
     DELETE FROM leaves;
     CREATE TABLE names (facet TEXT, code TEXT, name TEXT NOT NULL, PRIMARY KEY (facet, code)) WITHOUT ROWID;`,
    // Nor have these the other members of rows.
    `DELETE FROM stage;
     DELETE FROM pages;
     DELETE FROM leaves;
     DROP TABLE names;
     ${TEXT_TABLES}`,
  ],
}

interface StageRow {
  plan: string
  total: number | null
  rows: number
  started_at: number | null
}

/** Opens a stage, and empties one of another plan. @throws {StateFileError} */
export function openStage(path: string, plan: SnapshotPlan): Stage {
  const database = openDatabase(path, schema)
  const planText = JSON.stringify(plan)
  const texts = new StagedTexts(database, plan.facets)
  const read = () => database.query<StageRow, []>('SELECT * FROM stage').get()
  const offsets = () =>
    database
      .query<{ offset: number }, []>('SELECT offset FROM pages ORDER BY offset')
      .all()
      .map(({ offset }) => offset)
  const write = <T>(work: () => T): T => orStateFileError(path, () => writeTransaction(database, work))
  const clear = () =>
    write(() => {
      for (const table of ['stage', 'pages', 'leaves']) database.run(`DELETE FROM ${table}`)
      texts.clear()
      database.run('INSERT INTO stage (plan, rows) VALUES (?, 0)', [planText])
    })
  if (read()?.plan !== planText) clear()

  return {
    progress() {
      const { rows = 0, total = null, started_at = null } = read() ?? {}
      return { pages: offsets().length, rows, total, startedAt: started_at }
    },
    offsets,
    add(page, now) {
      const { rows: known = 0, total = null } = read() ?? {}
      if (total !== null && total !== page.total) return false
      const [overlapping, ...others] = page.rows
      const isFirst = known === 0
      if (!isFirst && !(overlapping && isAt(database, overlapping, { plan, offset: known - 1 }))) return false
      const rows = isFirst ? page.rows : others
      return write(() => {
        if (!addRows(database, rows, { plan, offset: known })) return false
        database.run('UPDATE stage SET total = ?, rows = rows + ?, started_at = coalesce(started_at, ?)', [
          page.total,
          rows.length,
          now,
        ])
        database.run('REPLACE INTO pages (offset, digest) VALUES (?, ?)', [page.offset, digestOf(page)])
        texts.addMembers(page.members ?? [])
        for (const other of page.others ?? []) texts.addTexts(page.rows, other)
        return true
      })
    },
    isSame(page) {
      const find = database.query<{ digest: string }, [number]>('SELECT digest FROM pages WHERE offset = ?')
      return find.get(page.offset)?.digest === digestOf(page)
    },
    clear,
    *leaves() {
      const rows = database.query<{ key: Uint8Array; content: string }, []>(
        'SELECT key, content FROM leaves ORDER BY key',
      )
      for (const { key, content } of rows.iterate()) yield { ...decodeKey(key), ...parseContent(content) }
    },
    members: () => texts.members(),
    textsOf: (member, facet) => texts.textsOf(member, facet),
    [Symbol.dispose]: () => database.close(),
  }
}

/** A page's total and rows, hashed. */
const digestOf = ({ total, rows }: StagedPage): string =>
  encodeHex(sha256(new TextEncoder().encode(JSON.stringify([total, rows]))))

interface StoredLeaf {
  content: string
  row: number
}

const FIND = 'SELECT content, row FROM leaves WHERE key = ?'

/** What a leaf says of its key. */
type Content = Pick<Leaf, 'value' | 'unit'>

const formatContent = ({ value, unit }: Content): string => JSON.stringify([value, unit])

function parseContent(content: string): Content {
  const [value, unit] = JSON.parse(content)
  return { value, unit }
}

/** Where a row is among all. */
interface Place {
  plan: SnapshotPlan
  offset: number
}

/** Returns whether a row equals the one that was added at a place. */
function isAt(database: Database, row: StagedRow, place: Place): boolean {
  const find = database.query<StoredLeaf, [Uint8Array]>(FIND)
  return leavesOf(row, place).every(({ key, content }) => {
    const known = find.get(key)
    return known?.row === place.offset && known.content === content
  })
}

/** The leaves of a row, with their keys. @throws {DatasetError} if it cannot have one. */
function leavesOf({ period, facets, values }: StagedRow, { plan, offset }: Place) {
  const { route, frequency } = plan
  const named = Object.fromEntries(plan.facets.map((id, index) => [id, facets[index] ?? null]))
  return plan.columns.map((column, index) => {
    const { value, unit } = values[index] ?? { value: null, unit: null }
    const leaf = { route, frequency, column, facets: named, period, value, unit }
    return { column, key: keyOf(leaf, offset), content: formatContent(leaf) }
  })
}

function keyOf(leaf: Leaf, offset: number): Uint8Array {
  const fail = (rule: string) => new DatasetError({ what: nameOf(leaf, offset), rule })
  const { length } = encodeLeaf(leaf)
  if (length > MAX_LEAF_BYTES)
    throw fail(`${leaf.column}: its leaf has ${length} bytes, more than ${MAX_LEAF_BYTES}`)
  try {
    return encodeKey(leaf)
  } catch (error) {
    throw error instanceof DatasetError ? fail(`${error.what}: ${error.rule}`) : error
  }
}

const nameOf = ({ route, period, facets }: LeafKey, offset: number): string =>
  `${route}, ${nameRow(offset, [['period', period], ...Object.entries(facets)])}`

/** Adds the leaves of rows, of which the first is at a place. False if one of them came before, and not just before. */
function addRows(database: Database, rows: readonly StagedRow[], { plan, offset: first }: Place): boolean {
  const insert = database.query(
    'INSERT INTO leaves (key, content, row) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const find = database.query<StoredLeaf, [Uint8Array]>(FIND)
  const move = database.query('UPDATE leaves SET row = ? WHERE key = ?')
  for (const [index, row] of rows.entries()) {
    const offset = first + index
    for (const { column, key, content } of leavesOf(row, { plan, offset })) {
      if (insert.run(key, content, offset).changes === 1) continue
      const known = find.get(key)
      if (known?.row !== offset - 1) return false
      if (known.content !== content)
        throw new DatasetError({
          what: nameOf(decodeKey(key), offset),
          rule: `${column}: EIA has two different rows: ${textOf(known.content)} before it, and ${textOf(content)}`,
        })
      move.run(offset, key)
    }
  }
  return true
}

function textOf(content: string): string {
  const { value, unit } = parseContent(content)
  return JSON.stringify(unit === null ? value : `${value} ${unit}`)
}
