import { memberAt, nameRow } from '@wattfeed/base'
import { EiaMissingColumnError, EiaMissingFacetError, EiaUnexpectedError } from './eiaErrors.ts'
import type { Section } from './eiaRequest.ts'
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
  /** EIA's text of the last period. @default all */
  readonly end?: string
  /** The values that rows may have, by the id of a facet. @default all of each facet */
  readonly values?: Readonly<Record<string, readonly string[]>>
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
   * In the order of the query's columns: the member of rows with the unit, `units` or else `<column>-units`, with or without a text; null if
   * no row has one. All pages have units of the same columns, or EIA has lost some.
   */
  readonly unitMembers: readonly (string | null)[]
  /** The names of all members of the rows, in EIA's order; none if there are more than 500. */
  readonly members: readonly string[]
  /** The members other than period, facets and columns: names, units and more. */
  readonly others: readonly OtherMember[]
  /** What EIA says of the answer. */
  readonly about: AboutAnswer
}

/** A member of the rows of a page that is no part of a query. */
export interface OtherMember {
  /** `stateDescription`, `price-units`. */
  readonly member: string
  /** In the order of the rows; null for a row without a text there. */
  readonly texts: readonly (string | null)[]
}

/** What EIA says of an answer with rows; null for what it does not say. */
export interface AboutAnswer {
  /** Of the dataset. */
  readonly description: string | null
  /** Of the periods: `YYYY-MM`. */
  readonly dateFormat: string | null
  /** Version of the API: `2.1.8`. */
  readonly apiVersion: string | null
}

/** EIA's maximum number of rows in an answer. */
export const MAX_PAGE_ROWS = 5_000

/** EIA's rows have at most some fifty. */
const MAX_MEMBERS = 500

/** The query of `GET /v2/{route}/data` for rows of a dataset. */
export function addDatasetQuery(url: URL, query: DatasetQuery, { offset, length }: Section): void {
  const sort = [['period', 'desc'] as const, ...query.facets.map((facet) => [facet, 'asc'] as const)]
  const parameters = [
    ['frequency', query.frequency],
    ...query.columns.map((column, index) => [`data[${index}]`, column] as const),
    ...(query.start === null ? [] : [['start', query.start] as const]),
    ...(query.end === undefined ? [] : [['end', query.end] as const]),
    ...Object.entries(query.values ?? {}).flatMap(([id, values]) =>
      values.map((value) => [`facets[${id}][]`, value] as const),
    ),
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
  const members = membersOf(rows)
  const known = new Set(['period', ...columns, ...query.facets])
  return {
    rows: read,
    total,
    unitMembers: columns.map((column) => unitMembers(column).find(hasMember) ?? null),
    members,
    others: members
      .filter((member) => !known.has(member))
      .map((member) => ({ member, texts: rows.map((row) => textOrNull(memberAt(row, member))) })),
    about: aboutOf(body),
  }
}

/** None of rows that have more members than EIA's. */
function membersOf(rows: readonly unknown[]): string[] {
  const members = new Set<string>()
  for (const row of rows) {
    for (const member of Object.keys(Object(row))) members.add(member)
    if (members.size > MAX_MEMBERS) return []
  }
  return [...members]
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

function aboutOf(body: unknown): AboutAnswer {
  const response = memberAt(body, 'response')
  return {
    description: textMember(response, 'description'),
    dateFormat: textMember(response, 'dateFormat'),
    apiVersion: textMember(body, 'apiVersion'),
  }
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
