import { EiaMissingColumnError, EiaNoRowsError, EiaUnexpectedError } from './eiaErrors.ts'
import { member, textMember } from './parseJson.ts'

/** One series of a dataset, as EIA's API is asked for it. */
export interface Series {
  /** EIA's route, below `/v2/`. */
  readonly route: string
  readonly frequency: string
  /** The column that holds the value; EIA's `data[0]`. */
  readonly column: string
  /** One value for each facet that is pinned, by facet id. */
  readonly facets: Readonly<Record<string, string>>
}

/** A row as upstream sent it. */
export interface EiaRow {
  /** As sent. */
  readonly period: string
  /** As sent, with every digit; null for JSON `null`. */
  readonly value: string | null
  /**
   * Text of `units`, else of `<column>-units`, which is the unit that is hashed; null where the row has
   * neither, and then the configured unit is hashed.
   */
  readonly unit: string | null
  /**
   * What the row says of its unit in whatever column: `unit`, else text of the column `unit` (steo,
   * total-energy, seds, international). To compare with `upstream_unit`; never hashed.
   */
  readonly statedUnit: string | null
}

/**
 * The rows of an answer to `GET /v2/{route}/data`, in its order; never none.
 *
 * @param body - as `parseJson` makes it: numbers are texts
 * @throws {EiaNoRowsError}
 * @throws {EiaMissingColumnError}
 * @throws {EiaUnexpectedError} for rows without a period, or no rows at all where they have to be.
 */
export function parseRows(body: unknown, series: Series, status: number): EiaRow[] {
  const { route, column } = series
  const data = member(member(body, 'response'), 'data')
  if (!Array.isArray(data)) throw new EiaUnexpectedError(route, status, 'response.data')
  if (data.length === 0) throw new EiaNoRowsError(route, status)
  return data.map((row: unknown) => {
    const period = textMember(row, 'period')
    if (period === null) throw new EiaUnexpectedError(route, status, 'a period in a row')
    const value = member(row, column)
    if (value === undefined) throw new EiaMissingColumnError(route, status, column)
    if (value !== null && typeof value !== 'string')
      throw new EiaUnexpectedError(route, status, `a text or number in column ${JSON.stringify(column)}`)
    // The column `unit` of some datasets holds a code that is a facet; what is hashed there is the configured unit.
    const unit = textMember(row, 'units') ?? textMember(row, `${column}-units`)
    return { period, value, unit, statedUnit: unit ?? textMember(row, 'unit') }
  })
}
