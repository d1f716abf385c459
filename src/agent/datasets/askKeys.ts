import { DatasetError, type Leaf, type LeafKey } from '@wattfeed/dataset'
import {
  type DatasetPage,
  type DatasetQuery,
  EiaError,
  EiaRowsMovedError,
  encodePeriod,
  MAX_PAGE_ROWS,
  PeriodError,
} from '@wattfeed/eia'
import { hashedUnit } from 'wattfeed/internal'
import { retryEia } from './retryEia.ts'
import { boxesOf, nameOfRow, queryOfBox, type RowBox, splitBox, type WantedRow } from './rowBox.ts'
import { RowTexts } from './rowTexts.ts'
import { isKeyOf, type SnapshotInput } from './snapshotInput.ts'
import type { StagedNames } from './stagedNames.ts'

/** Requests of one call, each for at most 5,000 rows. */
const MAX_REQUESTS = 30

/** Length of the facets' values in a URL. Servers refuse URLs of more than 8,000 characters, and the other parameters need some. */
const MAX_VALUES_LENGTH = 4_000

const MAX_TRIES = 3

export interface AskOptions
  extends Pick<SnapshotInput, 'eia' | 'dataset' | 'facets' | 'signal' | 'minPauseMs'> {
  /** The columns whose leaves have a unit. */
  readonly withUnit: ReadonlySet<string>
}

/** What EIA says of keys now. */
export interface AskedKeys {
  /** Each key that was asked for, with its leaf; null if EIA has no such row. */
  readonly answers: readonly { readonly key: LeafKey; readonly leaf: Leaf | null }[]
  /** What the rows with these keys say beside their leaves. */
  readonly texts: StagedNames
}

/**
 * Asks EIA for the rows with some keys again. A request names several values of each facet and a range of periods, and EIA answers with every
 * row of this box: others are ignored. The first request asks for all keys. If EIA has more than 5,000 rows for it, it is divided.
 *
 * Some keys have no answer: those of another dataset, those whose request EIA refuses, and those that are left after 30 requests. So
 * a call reads 150,000 rows at most, whatever the keys are.
 *
 * @throws {DatasetError} if EIA has two different rows with one key, or no unit of a column any more.
 * @throws {EiaRowsMovedError} if rows changed while they were read, three times.
 * @throws {EiaError} what the client throws, after a few tries if it may pass; a refusal only if nothing was answered. And the signal's
 * reason.
 */
export async function askKeys(keys: readonly LeafKey[], options: AskOptions): Promise<AskedKeys> {
  const asking = new Asking(options)
  await asking.ask(rowsOf(keys, options))
  return asking
}

/** The rows of keys, but for keys that a snapshot of the dataset cannot have. */
function rowsOf(keys: readonly LeafKey[], { dataset, facets }: AskOptions): WantedRow[] {
  const ids = [...facets].sort()
  const rows = new Map<string, WantedRow & { keys: LeafKey[] }>()
  for (const key of keys) {
    if (!isKeyOf(key, { dataset, facets }) || !isPeriod(dataset.frequency, key.period)) continue
    const row = { period: key.period, facets: ids.map((id) => key.facets[id] ?? null) }
    const name = nameOfRow(row)
    const known = rows.get(name)
    if (known === undefined) rows.set(name, { ...row, keys: [key] })
    else known.keys.push(key)
  }
  return [...rows.values()]
}

function isPeriod(frequency: string, text: string): boolean {
  try {
    encodePeriod(frequency, text)
    return true
  } catch (error) {
    if (error instanceof PeriodError) return false
    throw error
  }
}

type Row = DatasetPage['rows'][number]

/** A row that was asked for, with what its page says. */
interface FoundRow {
  readonly row: Row
  readonly texts: ReadonlyMap<string, string | null>
}

/** What a box has: its rows by their names; or why there are none. */
type BoxRows = ReadonlyMap<string, FoundRow> | 'too_many' | 'no_requests_left'

class Asking implements AskedKeys {
  readonly answers: { key: LeafKey; leaf: Leaf | null }[] = []
  readonly texts: RowTexts
  readonly #options: AskOptions
  readonly #query: Omit<DatasetQuery, 'start'>
  #left = MAX_REQUESTS

  constructor(options: AskOptions) {
    const { dataset, facets } = options
    const { route, frequency, columns } = dataset
    this.#options = options
    this.#query = { route, frequency, columns: [...columns].sort(), facets: [...facets].sort() }
    this.texts = new RowTexts(this.#query.facets)
  }

  async ask(rows: readonly WantedRow[]): Promise<void> {
    const boxes = boxesOf(rows)
    let refusal: unknown = null
    for (let box = boxes.shift(); box !== undefined; box = boxes.shift()) {
      const found = await this.#readBox(box).catch((error: unknown) => {
        if (!isRefusal(error)) throw error
        refusal ??= error
        return 'too_many' as const
      })
      if (found === 'no_requests_left') break
      if (found !== 'too_many') this.#answer(box, found)
      else if (box.length > 1) boxes.push(...splitBox(box, this.#query.frequency))
    }
    if (refusal !== null && this.answers.length === 0) throw refusal
  }

  #answer(box: RowBox, found: ReadonlyMap<string, FoundRow>): void {
    for (const wanted of box) {
      const { row, texts } = found.get(nameOfRow(wanted)) ?? {}
      if (row !== undefined && texts !== undefined) this.texts.add({ facets: row.facets, texts })
      for (const key of wanted.keys) {
        const value = row?.values[this.#query.columns.indexOf(key.column)]
        this.answers.push({ key, leaf: value === undefined ? null : { ...key, ...value } })
      }
    }
  }

  /** Reads the rows of a box again, if EIA's rows change meanwhile. */
  async #readBox(box: RowBox): Promise<BoxRows> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const found = await this.#readOnce(box)
      if (found !== 'moved') return found
    }
    throw new EiaRowsMovedError({ route: this.#query.route, status: null })
  }

  async #readOnce(box: RowBox): Promise<BoxRows | 'moved'> {
    const query = { ...this.#query, ...queryOfBox(box, this.#query.facets, MAX_VALUES_LENGTH) }
    const wanted = new Set(box.map(nameOfRow))
    const found = new Map<string, FoundRow>()
    let [count, total, last] = [0, 0, null as Row | null]
    do {
      if (this.#left === 0) return 'no_requests_left'
      this.#left -= 1
      // Pages overlap in one row, as when all are read.
      const page = await this.#readPage(query, Math.max(0, count - 1))
      if (last === null) total = page.total
      if (page.total > MAX_PAGE_ROWS && box.length > 1) return 'too_many'
      const rows = last === null ? page.rows : page.rows.slice(1)
      if (page.total !== total || !isSame(last, page.rows[0] ?? null)) return 'moved'
      for (const [index, row] of page.rows.entries()) this.#add(found, wanted, { row, index, page })
      count += rows.length
      if (count > total || (rows.length === 0 && count < total)) return 'moved'
      last = rows.at(-1) ?? last
    } while (count < total)
    return found
  }

  /** Adds a row that is wanted. @throws {DatasetError} if there is another one with its key */
  #add(
    found: Map<string, FoundRow>,
    wanted: ReadonlySet<string>,
    { row, index, page }: { row: Row; index: number; page: DatasetPage },
  ): void {
    const name = nameOfRow(row)
    if (!wanted.has(name)) return
    const known = found.get(name)?.row
    if (known !== undefined && !isSame(known, row)) throw this.#twoRows(known, row)
    const texts = new Map(page.others.map((other) => [other.member, other.texts[index] ?? null]))
    found.set(name, { row, texts })
  }

  #twoRows(one: Row, other: Row): DatasetError {
    const { route, facets } = this.#query
    const members = [one.period, ...one.facets].map(
      (text, at) => `${['period', ...facets][at]} ${JSON.stringify(text)}`,
    )
    const textOf = ({ values }: Row) => values.map(({ value, unit }) => JSON.stringify([value, unit])).join()
    return new DatasetError({
      what: `${route}, the row with ${members.join(', ')}`,
      rule: `EIA has two different rows: ${textOf(one)} and ${textOf(other)}`,
    })
  }

  /** Reads a page, with the units as a leaf has them. */
  async #readPage(query: DatasetQuery, offset: number): Promise<DatasetPage> {
    const { eia, signal, withUnit } = this.#options
    const section = { offset, length: MAX_PAGE_ROWS }
    const page = await retryEia(() => eia.readDatasetPage(query, section, signal), this.#options)
    const lacking = query.columns.find((column, at) => withUnit.has(column) && page.unitMembers[at] == null)
    if (lacking !== undefined && page.rows.length > 0)
      throw new DatasetError({
        what: `${query.route}, ${page.rows.length} rows from ${query.start} to ${query.end}`,
        rule: `have no unit of ${lacking}, while the snapshot has one; EIA has to correct them`,
      })
    const rows = page.rows.map((row) => ({
      ...row,
      values: row.values.map(({ value, unit }) => ({ value, unit: hashedUnit(query.route, unit) })),
    }))
    return { ...page, rows }
  }
}

/** Whether EIA does not take what a request names, which may be a text that another member has invented. */
const isRefusal = (error: unknown): boolean =>
  error instanceof EiaError && !error.retryable && ['eia_error', 'eia_status'].includes(error.code)

/** Whether two rows are the same. No row before is the same as any. */
const isSame = (one: Row | null, other: Row | null): boolean =>
  one === null || JSON.stringify(one) === JSON.stringify(other)
