import type { DatasetRecipe } from '@wattfeed/dataset'
import type { SnapshotTable, SortKey, TableFilter } from '@wattfeed/dataset/table'
import { MAX_PAGE_ROWS } from '@wattfeed/eia'
import { findDataset } from '@wattfeed/eia/catalog'
import type { EiaOption, EiaParameters, EiaSort } from '@wattfeed/eia/internal'
import { EiaOptionError, EiaParameterError } from './eiaErrors.ts'
import { type PeriodBounds, readPeriodBounds } from './periodBounds.ts'

/** What rows are ordered by: as a table is, or by the values of a column. */
export type EiaSortKey = SortKey | { readonly by: { readonly value: string }; readonly isDescending: boolean }

/** A request of rows, checked against the table that answers it. */
export interface EiaQuery extends Pick<TableFilter, 'facets'> {
  /** The columns that the rows show; none if the request names none. */
  readonly columns: readonly string[]
  readonly periods: PeriodBounds
  /** First things first; empty if the request leaves the order open. */
  readonly sort: readonly EiaSortKey[]
  readonly offset: number
  readonly length: number
  /** Whether more rows were requested than one answer has. */
  readonly isTooLong: boolean
}

/**
 * Reads the parameters of a request of rows.
 *
 * @throws {EiaOptionError} for a column or a facet that the table does not have.
 * @throws {EiaParameterError} for a parameter in another form.
 */
export function readEiaQuery(parameters: EiaParameters, { manifest, index }: SnapshotTable): EiaQuery {
  const { data = [], facets = {}, sort = [], offset, length } = parameters
  const { route, frequency } = manifest
  const catalog = findDataset(route)
  const ids = index.facets.map(({ id }) => id)
  const columns = unique(data)
  const rows = readCount('length', length) ?? MAX_PAGE_ROWS
  assertOptions('data', columns, manifest.columns, catalog?.columns)
  assertOptions('facet', Object.keys(facets), ids, catalog?.facets)
  return {
    columns,
    facets: Object.fromEntries(Object.entries(facets).flatMap(codesOf)),
    periods: readPeriodBounds(frequency, parameters),
    sort: readSort(sort, { columns: manifest.columns, facets: ids }),
    offset: readCount('offset', offset) ?? 0,
    length: Math.min(rows, MAX_PAGE_ROWS),
    isTooLong: rows > MAX_PAGE_ROWS,
  }
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)]

/** An empty code selects the rows without one. A facet without any code is open. */
const codesOf = ([id, codes]: [string, readonly string[]]): [string, (string | null)[]][] =>
  codes.length === 0 ? [] : [[id, codes.map((code) => (code === '' ? null : code))]]

/** @throws {EiaOptionError} for the first that is not valid. */
export function assertOptions(
  option: EiaOption,
  given: readonly string[],
  valid: readonly string[],
  atEia: readonly string[] = [],
): void {
  const wrong = given.find((each) => !valid.includes(each))
  if (wrong !== undefined)
    throw new EiaOptionError({ option, given: wrong, valid, isAtEia: atEia.includes(wrong) })
}

function readSort(
  sort: readonly EiaSort[],
  { columns, facets }: Pick<DatasetRecipe, 'columns' | 'facets'>,
): EiaSortKey[] {
  const given = sort.filter(({ column = '' }, at) => {
    const isFirst = sort.findIndex((other) => other.column === column) === at
    return column !== '' && isFirst
  })
  assertOptions(
    'sort',
    given.map(({ column = '' }) => column),
    [...columns, 'period', ...facets],
  )
  return given.map(({ column = '', direction = 'asc' }): EiaSortKey => {
    const isDescending = isDescent(direction)
    if (column === 'period') return { by: 'period', isDescending }
    if (facets.includes(column)) return { by: { facet: column }, isDescending }
    return { by: { value: column }, isDescending }
  })
}

function isDescent(direction: string): boolean {
  const lower = direction.toLowerCase()
  if (lower !== 'asc' && lower !== 'desc')
    throw new EiaParameterError({ name: 'sort direction', given: direction, rule: "'asc' or 'desc'" })
  return lower === 'desc'
}

/** Null if it is left out. */
function readCount(name: 'offset' | 'length', text = ''): number | null {
  if (text === '') return null
  if (!/^\d+$/.test(text))
    throw new EiaParameterError({ name, given: text, rule: 'a number of rows, 0 or more' })
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}
