import { EiaMissingColumnError, EiaNoRowsError, EiaUnexpectedError } from './eiaErrors.ts'
import { member, textMember } from './parseJson.ts'
import type { EiaRow, Series } from './series.ts'

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
