import { parseExactJson } from '../eia/parseExactJson.ts'
import { encodePeriod } from '../eia/period.ts'
import type { Recipe } from '../eia/recipe.ts'
import { type EiaRow, parsePage, selectRows } from '../eia/series.ts'

/**
 * Returns the rows of a period from a body that EIA's API answered with (`GET /v2/{route}/data`), every digit as sent:
 * one, unless the recipe leaves a facet open. For pages and programs that fetch by themselves.
 *
 * @param period - the integer of an attestation
 * @throws {SyntaxError} if the body is not JSON.
 * @throws {EiaError} if it holds no list of rows, or rows without the column.
 * @throws {PeriodError} if a row's period is not of the recipe's frequency.
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
