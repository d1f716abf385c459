import type { Database } from 'bun:sqlite'

/** A member of the rows of a page that is no part of a leaf: `stateDescription`. */
export interface StagedMember {
  readonly member: string
  /** In the order of the page's rows; null for a row without a text. */
  readonly texts: readonly (string | null)[]
}

/** What a member of rows says by the value of a facet. */
export interface TextsByCode {
  /**
   * `determined`: all rows with the same value have the same text. `different`: they do not. `too_many`: there were too many texts to
   * keep, so none is.
   */
  readonly state: 'determined' | 'different' | 'too_many'
  /** The first text that came with each value, other than null. The value is an empty text for rows without one. */
  readonly texts: ReadonlyMap<string, string | null>
}

/** The same while rows come. */
interface Pair {
  state: TextsByCode['state']
  readonly texts: Map<string, string | null>
}

/** Maximum number of texts of a member by one facet. No more codes of a facet are listed either. */
export const MAX_STAGED_TEXTS = 50_000

/** Memory that all texts take at most, in bytes, roughly. */
export const MAX_STAGED_BYTES = 2 ** 26

/** Memory of an entry without its characters. */
const ENTRY_BYTES = 100

const bytesOf = (code: string, text: string | null): number =>
  ENTRY_BYTES + 2 * (code.length + (text?.length ?? 0))

export const TEXT_TABLES = `CREATE TABLE members (name TEXT PRIMARY KEY);
  CREATE TABLE texts (member TEXT, facet TEXT, code TEXT, text TEXT, PRIMARY KEY (member, facet, code)) WITHOUT ROWID;
  CREATE TABLE text_states (member TEXT, facet TEXT, state TEXT, PRIMARY KEY (member, facet)) WITHOUT ROWID;`

/**
 * What rows say beside their leaves. Each text is kept once for each value of each facet. That is all of it, if the facet determines the
 * member. The database of the stage keeps it for a run that resumes; memory knows it, so that most rows need no statement.
 */
export class StagedTexts {
  readonly #database: Database
  readonly #facets: readonly string[]
  readonly #pairs = new Map<string, Pair>()
  #bytes = 0

  /** @param facets - in the order in which rows have them */
  constructor(database: Database, facets: readonly string[]) {
    this.#database = database
    this.#facets = facets
    const states = database.query<StateRow, []>('SELECT member, facet, state FROM text_states')
    for (const { member, facet, state } of states.iterate()) this.#pairOf(member, facet).state = state
    const texts = database.query<TextRow, []>('SELECT member, facet, code, text FROM texts')
    for (const { member, facet, code, text } of texts.iterate()) {
      this.#pairOf(member, facet).texts.set(code, text)
      this.#bytes += bytesOf(code, text)
    }
  }

  /** The names of all members of rows, in the order in which they came. */
  members(): string[] {
    const find = this.#database.query<{ name: string }, []>('SELECT name FROM members ORDER BY rowid')
    return find.all().map(({ name }) => name)
  }

  textsOf(member: string, facet: string): TextsByCode {
    return this.#pairOf(member, facet)
  }

  addMembers(members: readonly string[]): void {
    const insert = this.#database.query('INSERT INTO members (name) VALUES (?) ON CONFLICT DO NOTHING')
    for (const name of members) insert.run(name)
  }

  /** Adds what a member says in rows. */
  addTexts(
    rows: readonly { readonly facets: readonly (string | null)[] }[],
    { member, texts }: StagedMember,
  ): void {
    for (const [at, facet] of this.#facets.entries()) {
      const pair = this.#pairOf(member, facet)
      for (const [index, { facets }] of rows.entries()) {
        // The database would lose a lone surrogate.
        const text = texts[index]?.toWellFormed() ?? null
        this.#addText(pair, { member, facet, code: facets[at] ?? '', text })
      }
    }
  }

  #addText(pair: Pair, row: TextRow): void {
    const { member, facet, code, text } = row
    if (pair.state === 'too_many') return
    const known = pair.texts.get(code)
    if (known === text) return
    if (known !== undefined && pair.state === 'determined')
      this.#setState(pair, { member, facet, state: 'different' })
    if (typeof known === 'string') return
    const bytes = bytesOf(code, text)
    if (pair.texts.size >= MAX_STAGED_TEXTS || this.#bytes + bytes > MAX_STAGED_BYTES) {
      this.#drop(pair, row)
      return
    }
    this.#bytes += bytes
    pair.texts.set(code, text)
    this.#database
      .query('REPLACE INTO texts (member, facet, code, text) VALUES (?, ?, ?, ?)')
      .run(member, facet, code, text)
  }

  #setState(pair: Pair, { member, facet, state }: StateRow): void {
    pair.state = state
    this.#database
      .query('REPLACE INTO text_states (member, facet, state) VALUES (?, ?, ?)')
      .run(member, facet, state)
  }

  #drop(pair: Pair, { member, facet }: Pick<StateRow, 'member' | 'facet'>): void {
    this.#setState(pair, { member, facet, state: 'too_many' })
    for (const [code, text] of pair.texts) this.#bytes -= bytesOf(code, text)
    pair.texts.clear()
    this.#database.query('DELETE FROM texts WHERE member = ? AND facet = ?').run(member, facet)
  }

  /** Forgets everything. */
  clear(): void {
    for (const table of ['members', 'texts', 'text_states']) this.#database.run(`DELETE FROM ${table}`)
    this.#pairs.clear()
    this.#bytes = 0
  }

  #pairOf(member: string, facet: string): Pair {
    const key = `${member}\0${facet}`
    const known = this.#pairs.get(key)
    if (known !== undefined) return known
    const pair: Pair = { state: 'determined', texts: new Map() }
    this.#pairs.set(key, pair)
    return pair
  }
}

interface StateRow {
  member: string
  facet: string
  state: TextsByCode['state']
}

interface TextRow {
  member: string
  facet: string
  code: string
  text: string | null
}
