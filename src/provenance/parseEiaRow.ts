import { parseJson } from '../eia/parseJson.ts'
import { encodePeriod } from '../eia/period.ts'
import type { Recipe } from '../eia/recipe.ts'
import { EiaDoubledPeriodError, type EiaRow, parsePage, selectRows } from '../eia/series.ts'

/**
 * Returns the row of a period from a body that EIA's API answered with (`GET /v2/{route}/data`), every digit as sent;
 * null if it has none. For pages and programs that fetch by themselves.
 *
 * @param period - the integer of an attestation
 * @throws {SyntaxError} if the body is not JSON.
 * @throws {EiaError} if it has no rows, not the column, or more than one row of the period.
 * @throws {PeriodError} if a row's period is not of the recipe's frequency.
 *
 * @example
 * ```ts
 * const response = await fetch(`${provenance.api_url}&api_key=${apiKey}`)
 * const row = parseEiaRow(await response.text(), recipe, attested.period)
 * console.log(recheck({ feed, recipe, attested, row }).verdict)
 * ```
 */
export function parseEiaRow(body: string, recipe: Recipe, period: number): EiaRow | null {
  const page = parsePage(parseJson(body), recipe, OK)
  const { rows } = selectRows(page, recipe, { isFirst: false })
  const [row = null, other] = rows.filter((each) => encodePeriod(recipe.frequency, each.period) === period)
  if (other !== undefined) throw new EiaDoubledPeriodError(recipe.route, OK, other.period)
  return row
}

const OK = 200
