import { assertOptions, type OptionNames } from '@wattfeed/base'
import { defineEiaError } from './eiaErrors.ts'
import type { Section } from './eiaRequest.ts'
import { textMember } from './parseExactJson.ts'
import { encodePeriod } from './period/period.ts'
import { type EiaRow, fitsFacets, type Page, rowsOfSeries, type Series, selectRows } from './series.ts'

/** Rows moved between pages during every listing, so that some may be missing or doubled. */
export const EiaRowsMovedError = defineEiaError(
  'EiaRowsMovedError',
  'eia_rows_moved',
  (_: { status: null }) => `the rows changed during ${MAX_LISTINGS} listings; retry later`,
  { retryable: true },
)

/** Reads some rows of a series and parses them. */
export type ReadPage = <T>(
  series: Series,
  section: Section,
  parse: (page: Page) => T,
  signal?: AbortSignal,
) => Promise<T>

/** Which rows to list. */
export interface RowsSinceOptions {
  /** The integer of a period; only later periods are listed. @default null, which lists all */
  since?: number | null
  /** Maximum number of rows. @default 100 */
  most?: number
  /** Maximum number of rows per request; at least 2. @default 1000 */
  pageLength?: number
  /** Whether several rows of a period, or several values of an open facet, are allowed. @default false */
  mayRepeat?: boolean
  /** Whether different rows of a period are listed instead of rejected; the facets must still agree. @default false */
  mayDouble?: boolean
  signal?: AbortSignal
}

/** The rows of a series that are later than a period. */
export interface RowsSince {
  /** Newest first. */
  readonly rows: readonly EiaRow[]
  /** Whether these are all rows later than `since`. */
  readonly isComplete: boolean
}

const optionNames: OptionNames<RowsSinceOptions> = {
  since: 1,
  most: 1,
  pageLength: 1,
  mayRepeat: 1,
  mayDouble: 1,
  signal: 1,
}

const MAX_LISTINGS = 3
// Rows that EIA sends although they do not fit the facets.
const MAX_IGNORED = 5000
// In addition to the pages of listed rows: ignored rows make pages short.
const MAX_SHORT_PAGES = 20

/**
 * Lists the rows of a series that are later than a period, by pages that overlap in one row. A release between two pages moves
 * the rows: the overlapping row differs, and the listing starts again.
 *
 * @throws {EiaRowsMovedError} if that happens three times.
 * @throws the errors of {@link rowsOfSeries}, for all pages together.
 */
export async function listRowsSince(
  read: ReadPage,
  series: Series,
  options: RowsSinceOptions,
): Promise<RowsSince> {
  assertOptions(options, optionNames)
  for (let listing = 1; listing <= MAX_LISTINGS; listing++) {
    const rows = await listOnce(read, series, options)
    if (rows !== null) return rows
  }
  throw new EiaRowsMovedError({ route: series.route, status: null })
}

/** The rows, or null if they moved meanwhile. */
async function listOnce(
  read: ReadPage,
  series: Series,
  options: RowsSinceOptions,
): Promise<RowsSince | null> {
  const { since = null, most = 100, pageLength = 1000, signal } = options
  const { mayRepeat = false, mayDouble = false } = options
  let listed: Listed = { raw: [], rows: [], isEnd: false, isReached: false }
  const maxPages = MAX_SHORT_PAGES + Math.ceil(most / (pageLength - 1))
  for (let pages = 0; pages < maxPages && !listed.isEnd && !listed.isReached; pages++) {
    if (listed.rows.length > most || listed.raw.length > most + MAX_IGNORED) break
    const before = listed
    const overlap = before.raw.length === 0 ? 0 : 1
    const section = {
      offset: before.raw.length - overlap,
      length: Math.min(pageLength, most + 1 - before.rows.length + overlap),
    }
    const parse = (page: Page) => addPage(before, page, section, { series, since, mayRepeat, mayDouble })
    const next = await read(series, section, parse, signal)
    if (next === null) return null
    listed = next
    // EIA reports more rows than it sends.
    if (next.raw.length === before.raw.length) break
  }
  const { rows, isEnd, isReached } = listed
  return { rows: rows.slice(0, most), isComplete: rows.length <= most && (isEnd || isReached) }
}

interface Listed {
  /** All rows of the pages, up to the first that is not later than `since`. */
  raw: readonly unknown[]
  /** The feed's rows that are later. */
  rows: readonly EiaRow[]
  /** Whether these are the last rows. */
  isEnd: boolean
  /** Whether a row that is not later was seen. */
  isReached: boolean
}

/** Adds a page. Null if it does not start with the last row of the previous page. */
function addPage(
  { raw: before }: Listed,
  page: Page,
  { offset, length }: Section,
  wanted: { series: Series } & Required<Pick<RowsSinceOptions, 'since' | 'mayRepeat' | 'mayDouble'>>,
): Listed | null {
  const { series, since, mayRepeat, mayDouble } = wanted
  if (before.length > 0 && JSON.stringify(before.at(-1)) !== JSON.stringify(page.rows[0])) return null
  const all = [...before.slice(0, offset), ...page.rows]
  const isOld = (row: unknown) =>
    since !== null && fitsFacets(row, series) && isUpTo(since, series.frequency, textMember(row, 'period'))
  const old = all.findIndex(isOld)
  const raw = old === -1 ? all : all.slice(0, old + 1)
  const whole = { ...page, rows: raw }
  const fitting = mayRepeat ? selectRows(whole, series).rows : rowsOfSeries(whole, series, { mayDouble })
  const isEnd = page.total === null ? page.rows.length < length : all.length >= page.total
  const rows = old === -1 ? fitting : fitting.slice(0, -1)
  return { raw, rows, isEnd, isReached: old !== -1 }
}

function isUpTo(since: number, frequency: string, period: string | null): boolean {
  return period !== null && encodePeriod(frequency, period) <= since
}
