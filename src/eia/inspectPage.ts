import {
  type EiaRow,
  findDoubledPeriod,
  type Page,
  type Series,
  type SeriesRows,
  selectRows,
} from './series.ts'

/** What rows say of whether a feed is one series. */
export interface SeriesInspection {
  readonly newest: EiaRow
  /** How many rows were looked at. */
  readonly rowCount: number
  /** Whether these are all rows that EIA has; older ones may have other values in open facets. */
  readonly isWhole: boolean
  /** The open facets with the values of all rows, null for rows that have none; to be pinned where there are several. */
  readonly openFacets: SeriesRows['openFacets']
  /** The newest period of which there is more than one row, or null. */
  readonly doubledPeriod: string | null
}

/**
 * Looks at many rows for whether they are one series. Finds what {@link rowsOfSeries} refuses, without an error.
 *
 * @param length - how many rows were asked for
 * @throws what {@link selectRows} throws.
 *
 * @example
 * ```ts
 * const { openFacets } = inspectPage(page, series, 2000)
 * for (const { facet, values } of openFacets.filter(({ values }) => values.length > 1))
 *   console.log(`${facet} must be pinned: ${values.join(', ')}`)
 * ```
 */
export function inspectPage(page: Page, series: Series, length: number): SeriesInspection {
  const { rows, openFacets } = selectRows(page, series)
  const [newest] = rows
  if (newest === undefined) throw new TypeError('the first row fits, so there is one')
  const isWhole = page.total === null ? page.rows.length < length : page.rows.length >= page.total
  return { newest, rowCount: rows.length, isWhole, openFacets, doubledPeriod: findDoubledPeriod(rows) }
}
