import { parseJson } from '../eia/parseJson.ts'
import type { Recipe } from '../eia/recipe.ts'
import { type EiaRow, parseRows } from '../eia/series.ts'

/**
 * Returns the rows of a body that EIA's API answered with (`GET /v2/{route}/data`), newest first, every digit as sent.
 * For pages and programs that fetch by themselves.
 *
 * @throws {SyntaxError} if it is not JSON.
 * @throws {EiaError} if its rows are not those of the recipe.
 *
 * @example
 * ```ts
 * const response = await fetch(`${provenance.api_url}&api_key=${apiKey}`)
 * const [row = null] = parseEiaRows(await response.text(), recipe)
 * console.log(recheck({ feed, recipe, attested, row }).verdict)
 * ```
 */
export function parseEiaRows(body: string, recipe: Recipe): EiaRow[] {
  return parseRows(parseJson(body), recipe, 200)
}
