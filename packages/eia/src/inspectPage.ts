import {
  type EiaRow,
  findDoubledPeriod,
  type Page,
  type Series,
  type SeriesRows,
  selectRows,
} from './series.ts'

/** Whether the rows of a feed are one series. */
export interface SeriesInspection {
  readonly newest: EiaRow
  readonly rowCount: number
  /** The value of each row, newest first, with every digit; null for one that EIA withholds. */
  readonly values: readonly (string | null)[]
  /** Whether these are all of EIA's rows. Older ones may have other values in open facets. */
  readonly isWhole: boolean
  /** The open facets with the values of all rows, null for rows without one. A facet with several values must be pinned. */
  readonly openFacets: SeriesRows['openFacets']
  /** The newest period with more than one row, or null. */
  readonly doubledPeriod: string | null
}

/**
 * Inspects many rows: are they one series? Reports what {@link rowsOfSeries} rejects, without an error.
 *
 * @param length - number of requested rows
 * @throws the errors of {@link selectRows}.
 */
export function inspectPage(page: Page, series: Series, length: number): SeriesInspection {
  const { rows, openFacets } = selectRows(page, series)
  const [newest] = rows
  if (newest === undefined) throw new TypeError('no row matches the feed')
  const isWhole = page.total === null ? page.rows.length < length : page.rows.length >= page.total
  return {
    newest,
    rowCount: rows.length,
    values: rows.map(({ value }) => value),
    isWhole,
    openFacets,
    doubledPeriod: findDoubledPeriod(rows),
  }
}
