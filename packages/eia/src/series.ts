import { memberAt } from '@wattfeed/base'
import {
  defineEiaError,
  EiaIncompleteError,
  EiaMissingColumnError,
  EiaNoRowsError,
  EiaUnexpectedError,
  shorten,
} from './eiaErrors.ts'
import { textMember } from './parseExactJson.ts'
import { encodePeriod } from './period/period.ts'

/** One series of a dataset, as a query to EIA's API. */
export interface Series {
  /** EIA's route, below `/v2/`. */
  readonly route: string
  readonly frequency: string
  readonly column: string
  /** One value for each pinned facet, by facet id. */
  readonly facets: Readonly<Record<string, string>>
  /** Ids of the dataset's other facets. All rows must agree in each. @default none */
  readonly openFacets?: readonly string[]
  /** EIA's text of the last requested period. @default no limit */
  readonly end?: string | null
}

/** A row as EIA sent it. */
export interface EiaRow {
  /** The period, as sent. */
  readonly period: string
  /** The value as sent, with every digit; null for JSON `null`. */
  readonly value: string | null
  /**
   * Text of `units`, or else of `<column>-units`: the hashed unit. Null if the row has neither; the configured unit is hashed then.
   */
  readonly unit: string | null
  /**
   * The row's unit in any column: `unit`, or else the text of the column `unit` (steo, total-energy, seds, international). For the
   * comparison with `upstream_unit`; never hashed.
   */
  readonly statedUnit: string | null
}

/** The rows of an answer, before they are compared with the feed's facets. */
export interface Page {
  readonly rows: readonly unknown[]
  /** Total number of matching rows at EIA, including other pages; null if EIA does not state it. */
  readonly total: number | null
  readonly status: number
}

/**
 * Parses the rows of an answer to `GET /v2/{route}/data`, in its order; empty past the last one.
 *
 * @param body - from `parseExactJson`: numbers are texts
 * @throws {EiaWrongFrequencyError}
 * @throws {EiaUnexpectedError} without a list of rows.
 */
export function parsePage(
  body: unknown,
  { route, frequency }: Pick<Series, 'route' | 'frequency'>,
  status: number,
): Page {
  const response = memberAt(body, 'response')
  const rows = memberAt(response, 'data')
  if (!Array.isArray(rows)) throw new EiaUnexpectedError({ route, status, missing: 'response.data' })
  const came = textMember(response, 'frequency')
  if (came !== null && came !== frequency)
    throw new EiaWrongFrequencyError({ route, status, asked: frequency, came: shorten(came) })
  const total = textMember(response, 'total')
  return { rows, total: total !== null && /^\d{1,15}$/.test(total) ? Number(total) : null, status }
}

/** Rows that match the facets of a feed, and their values of the open facets. */
export interface SeriesRows {
  /** In EIA's order. */
  readonly rows: EiaRow[]
  /** The values of each open facet, in EIA's order; null for rows without one. */
  readonly openFacets: readonly { readonly facet: string; readonly values: readonly (string | null)[] }[]
}

/**
 * Selects the feed's rows of a page: those that match every pinned facet. Identical rows are merged.
 *
 * A facet matches if its text is identical. An id that EIA sends as a JSON number is compared by its digits.
 *
 * @param options - `isFirst`: whether the page starts with the newest row, which must exist and match. @default true
 * @throws {EiaNoRowsError} for a first page without rows.
 * @throws {EiaIncompleteError} if there are rows by its total.
 * @throws {EiaWrongFacetError} for a first row that does not fit.
 * @throws {EiaMissingColumnError}
 * @throws {EiaUnexpectedError} for a row without a period, or with a value that is neither text nor number.
 */
export function selectRows(
  page: Page,
  series: Series,
  { isFirst = true }: { isFirst?: boolean } = {},
): SeriesRows {
  const { rows, status } = page
  if (isFirst) assertFirstFits(page, series)
  const fitting = withoutCopies(rows.filter((row) => fitsFacets(row, series)))
  const openFacets = (series.openFacets ?? []).map((facet) => ({
    facet,
    values: [...new Set(fitting.map((row) => textMember(row, facet)))],
  }))
  return { rows: fitting.map((row) => readRow(row, series, status)), openFacets }
}

function withoutCopies(rows: readonly unknown[]): readonly unknown[] {
  const texts = rows.map((row) => JSON.stringify(row))
  return rows.filter((_, index) => index === 0 || texts[index] !== texts[index - 1])
}

function assertFirstFits({ rows: [first], total, status }: Page, series: Series): void {
  const answer = { route: series.route, status }
  if (first === undefined) throw total ? new EiaIncompleteError(answer) : new EiaNoRowsError(answer)
  readRow(first, series, status)
  const facet = misfit(first, series)
  if (facet === null) return
  const came = textMember(first, facet)
  const asked = series.facets[facet] ?? ''
  throw new EiaWrongFacetError({
    ...answer,
    facet,
    asked,
    came: came === null ? null : shorten(came),
  })
}

/** Returns whether a row matches every pinned facet. */
export const fitsFacets = (row: unknown, series: Series): boolean => misfit(row, series) === null

/** The first pinned facet with another value in a row, or null. */
function misfit(row: unknown, { facets }: Series): string | null {
  return Object.keys(facets).find((facet) => memberAt(row, facet) !== facets[facet]) ?? null
}

function readRow(row: unknown, { route, column }: Series, status: number): EiaRow {
  const period = textMember(row, 'period')
  if (period === null) throw new EiaUnexpectedError({ route, status, missing: 'a period in a row' })
  const value = memberAt(row, column)
  const name = `the row of ${shorten(period)}`
  if (value === undefined) throw new EiaMissingColumnError({ route, status, column, row: name })
  if (value !== null && typeof value !== 'string')
    throw new EiaUnexpectedError({
      route,
      status,
      missing: `a text or number in column ${JSON.stringify(column)} of ${name}`,
    })
  // In some datasets the column `unit` holds a facet's code. The configured unit is hashed there.
  const unit = unitOf(row, column)
  return { period, value, unit, statedUnit: unit ?? textMember(row, 'unit') }
}

/** The members of a row that may hold the unit of a column. */
export const unitMembers = (column: string) => ['units', `${column}-units`] as const

/** The text of `units`, or else of `<column>-units`; null if the row has neither. */
export function unitOf(row: unknown, column: string): string | null {
  const [shared, own] = unitMembers(column)
  return textMember(row, shared) ?? textMember(row, own)
}

/**
 * Selects the feed's rows of a page, newest first, and checks that they are one series.
 *
 * @throws the errors of {@link selectRows}.
 * @throws {EiaOpenFacetError}
 * @throws {EiaDoubledPeriodError} unless `mayDouble`.
 * @throws {EiaRowOrderError}
 * @throws {PeriodError} for a period of another frequency, if there is more than one row.
 */
export function rowsOfSeries(
  page: Page,
  series: Series,
  {
    mayDouble = false,
  }: {
    /** Whether different rows of a period are returned instead of rejected. @default false */
    mayDouble?: boolean
  } = {},
): EiaRow[] {
  const { rows, openFacets } = selectRows(page, series)
  const { route } = series
  const open = openFacets.find(({ values }) => values.length > 1)
  if (open !== undefined)
    throw new EiaOpenFacetError({ route, status: page.status, facet: open.facet, values: open.values })
  const doubled = mayDouble ? null : findDoubledPeriod(rows)
  if (doubled !== null)
    throw new EiaDoubledPeriodError({ route, status: page.status, period: shorten(doubled) })
  assertNewestFirst(rows, series, { status: page.status, mayDouble })
  return rows
}

function assertNewestFirst(
  rows: readonly EiaRow[],
  { route, frequency }: Series,
  { status, mayDouble }: { status: number; mayDouble: boolean },
): void {
  const [first, ...others] = rows
  if (first === undefined || others.length === 0) return
  let before = { period: first.period, integer: encodePeriod(frequency, first.period) }
  for (const { period } of others) {
    const integer = encodePeriod(frequency, period)
    // Two local hours may be the same moment.
    if (integer === before.integer && !mayDouble) throw new EiaDoubledPeriodError({ route, status, period })
    if (integer > before.integer)
      throw new EiaRowOrderError({ route, status, period, precededBy: before.period })
    before = { period, integer }
  }
}

/** The first period with more than one row, or null. */
export function findDoubledPeriod(rows: readonly EiaRow[]): string | null {
  const seen = new Set<string>()
  for (const { period } of rows) {
    if (seen.has(period)) return period
    seen.add(period)
  }
  return null
}

/** The first row is of another series: a pinned facet has another value, or none. */
const EiaWrongFacetError = defineEiaError(
  'EiaWrongFacetError',
  'eia_wrong_facet',
  (facts: {
    status: number
    facet: string
    asked: string
    /** The row's value, cut if it is long; null if the field is missing or not a text. */
    came: string | null
  }) => {
    const found = facts.came === null ? 'a row without one' : JSON.stringify(facts.came)
    return `expected ${facts.facet} ${JSON.stringify(facts.asked)}, got ${found}; check the feed's facets with "feeds check"`
  },
)

/** Rows of another frequency. */
const EiaWrongFrequencyError = defineEiaError(
  'EiaWrongFrequencyError',
  'eia_wrong_frequency',
  (facts: {
    status: number
    asked: string
    /** EIA's frequency, cut if it is long. */
    came: string
  }) => `expected ${facts.asked} rows, got ${JSON.stringify(facts.came)}; check the feed's frequency`,
)

/** The rows are of several series, because a facet is not pinned. */
export const EiaOpenFacetError = defineEiaError(
  'EiaOpenFacetError',
  'eia_open_facet',
  (facts: {
    status: number
    facet: string
    /** The rows' values of the facet; null for rows without one. */
    values: readonly (string | null)[]
  }) => `the facet ${facts.facet} must be pinned: EIA returned rows with ${listValues(facts.values)}`,
)

/** EIA returned different rows for one period, so the feed's row is ambiguous. */
export const EiaDoubledPeriodError = defineEiaError(
  'EiaDoubledPeriodError',
  'eia_doubled_period',
  (facts: {
    status: number
    /** EIA's text, cut if it is long. */
    period: string
  }) => `EIA returned different rows for ${facts.period}; pin more facets, or wait for EIA to correct them`,
)
export type EiaDoubledPeriodError = InstanceType<typeof EiaDoubledPeriodError>

/** Rows that are not newest first, so the first may not be the newest. */
const EiaRowOrderError = defineEiaError(
  'EiaRowOrderError',
  'eia_row_order',
  (facts: {
    status: number
    /** Period of the row that is out of order. */
    period: string
    /** Period of the older row before it. */
    precededBy: string
  }) =>
    `rows are not newest first: ${facts.period} came after ${facts.precededBy}; check that EIA_BASE_URL is EIA's`,
)

const MOST_VALUES_IN_ERROR = 10

function listValues(values: readonly (string | null)[]): string {
  const shown = values
    .slice(0, MOST_VALUES_IN_ERROR)
    .map((value) => (value === null ? 'none' : JSON.stringify(shorten(value))))
  const more = values.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
