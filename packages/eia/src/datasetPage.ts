import { memberAt, nameRow } from '@wattfeed/base'
import { EiaMissingColumnError, EiaMissingFacetError, EiaUnexpectedError } from './eiaErrors.ts'
import type { Section } from './eiaRequest.ts'
import { readNames } from './facetNames.ts'
import { textMember } from './parseExactJson.ts'
import { parsePage, unitMembers, unitOf } from './series.ts'

/** Rows of a whole dataset, as a query to EIA's API. */
export interface DatasetQuery {
  /** EIA's route, below `/v2/`. */
  readonly route: string
  readonly frequency: string
  /** Ids of the columns; at least one. */
  readonly columns: readonly string[]
  /** Ids of **every** facet of the dataset. The rows are sorted by all of them: otherwise pages lose and repeat rows. */
  readonly facets: readonly string[]
  /** EIA's text of the first period; null for all. */
  readonly start: string | null
}

/** A value of a row, as EIA sent it. */
export interface DatasetValue {
  /** With every digit; null for JSON `null`. */
  readonly value: string | null
  /** Text of `units`, or else of `<column>-units`; null if the row has neither. */
  readonly unit: string | null
}

/** A row of a dataset, as EIA sent it. */
export interface DatasetRow {
  readonly period: string
  /** In the order of the query. Null for a facet that is null, an empty text, or missing in this row but not in all of the page. */
  readonly facets: readonly (string | null)[]
  /** In the order of the query's columns. */
  readonly values: readonly DatasetValue[]
}

/** Some rows of a dataset. */
export interface DatasetPage {
  /** By period, newest first, and then by each facet. Empty past the last row. */
  readonly rows: readonly DatasetRow[]
  /** How many rows the query has in all. */
  readonly total: number
  /**
   * In the order of the query's columns: whether any row has a member for the unit, with or without a text. It is the same on all pages, or
   * EIA has lost units.
   */
  readonly hasUnits: readonly boolean[]
  /** In the order of the query's facets: what the rows call its values, by value. Empty where they do not name them. */
  readonly names: readonly ReadonlyMap<string, string>[]
}

/** EIA's maximum number of rows in an answer. */
export const MAX_PAGE_ROWS = 5_000

/** The query of `GET /v2/{route}/data` for rows of a dataset. */
export function addDatasetQuery(url: URL, query: DatasetQuery, { offset, length }: Section): void {
  const sort = [['period', 'desc'] as const, ...query.facets.map((facet) => [facet, 'asc'] as const)]
  const parameters = [
    ['frequency', query.frequency],
    ...query.columns.map((column, index) => [`data[${index}]`, column] as const),
    ...(query.start === null ? [] : [['start', query.start] as const]),
    ...sort.flatMap(
      ([column, direction], index) =>
        [
          [`sort[${index}][column]`, column],
          [`sort[${index}][direction]`, direction],
        ] as const,
    ),
    ['offset', String(offset)],
    ['length', String(length)],
  ] as const
  for (const [name, value] of parameters) url.searchParams.append(name, value)
}

/**
 * Parses an answer to the query of {@link addDatasetQuery}.
 *
 * @param body - from `parseExactJson`: numbers are texts
 * @throws {EiaWrongFrequencyError}
 * @throws {EiaMissingColumnError}
 * @throws {EiaMissingFacetError} if no row has a facet. A facet without a value is null or an empty text.
 * @throws {EiaUnexpectedError} without a list of rows or their total, or for a row without a period, or with a facet or value that
 * is neither text nor number.
 */
export function parseDatasetPage(
  body: unknown,
  query: DatasetQuery,
  { status, offset }: { status: number; offset: number },
): DatasetPage {
  const { route, columns } = query
  const { rows, total } = parsePage(body, query, status)
  if (total === null) throw new EiaUnexpectedError({ route, status, missing: 'response.total' })
  const read = rows.map((row, index) => readRow(row, query, { status, offset: offset + index }))
  const hasMember = (name: string) => rows.some((row) => memberAt(row, name) !== undefined)
  const facet = rows.length === 0 ? undefined : query.facets.find((id) => !hasMember(id))
  if (facet !== undefined) throw new EiaMissingFacetError({ route, status, facet, rows: rows.length, offset })
  const hasUnits = columns.map((column) => unitMembers(column).some(hasMember))
  return { rows: read, total, hasUnits, names: readNames(rows, query.facets) }
}

function readRow(
  row: unknown,
  { route, columns, facets }: DatasetQuery,
  { status, offset }: { status: number; offset: number },
): DatasetRow {
  const name = () =>
    nameRow(
      offset,
      ['period', ...facets].map((id) => [id, memberAt(row, id)] as const),
    )
  const fail = (missing: string) =>
    new EiaUnexpectedError({ route, status, missing: `${missing} in ${name()}` })
  const period = textMember(row, 'period')
  if (period === null) throw fail('a period')
  /** Numbers are texts already. */
  const text = (member: string, kind: string): string | null | undefined => {
    const value = memberAt(row, member)
    if (value === undefined || value === null || typeof value === 'string') return value
    throw fail(`a text or number as ${kind} ${JSON.stringify(member)}`)
  }
  const readValue = (column: string): DatasetValue => {
    const value = text(column, 'column')
    if (value === undefined) throw new EiaMissingColumnError({ route, status, column, row: name() })
    return { value, unit: unitOf(row, column) }
  }
  return { period, facets: facets.map((id) => text(id, 'facet') || null), values: columns.map(readValue) }
}
