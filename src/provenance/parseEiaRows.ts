import { parseExactJson } from '../eia/parseExactJson.ts'
import { encodePeriod } from '../eia/period.ts'
import type { Recipe } from '../eia/recipe.ts'
import { type EiaRow, parsePage, selectRows } from '../eia/series.ts'

/**
 * Parses a response body of EIA's API (`GET /v2/{route}/data`) and returns the rows of a period with all digits. There
 * is one row, or several if the recipe does not fix all facets. For pages and programs with a fetch of their own.
 *
 * @param period - the integer of an attestation
 * @throws {SyntaxError} if the body is not JSON.
 * @throws {EiaError} if the body has no list of rows, or the rows do not have the column.
 * @throws {PeriodError} if the period of a row does not match the recipe's frequency.
 *
 * @example
 * ```ts
 * const response = await fetch(`${provenance.api_url}&api_key=${apiKey}`)
 * const rows = parseEiaRows(await response.text(), recipe, attested.period)
 * console.log(recheck({ feed, recipe, attested, rows }).verdict)
 * ```
 */
export function parseEiaRows(body: string, recipe: Recipe, period: number): EiaRow[] {
  const page = parsePage(parseExactJson(body), recipe, 200)
  const { rows } = selectRows(page, recipe, { isFirst: false })
  return rows.filter((row) => encodePeriod(recipe.frequency, row.period) === period)
}
