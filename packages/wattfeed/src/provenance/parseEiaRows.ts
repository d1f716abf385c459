import { type EiaRow, encodePeriod, parseExactJson, parsePage, selectRows } from '@wattfeed/eia'
import type { Recipe } from './recipe.ts'

/**
 * Parses the rows of a period from an answer of EIA's API (`GET /v2/{route}/data`), with every digit as sent. For pages and
 * programs that send the request themselves.
 *
 * @example
 * ```ts
 * import { parseEiaRows, readProvenance, recheck } from 'wattfeed/provenance'
 *
 * const id = 'EIA.PET.PRICE.WTI.DAILY'
 * const [feed, provenance] = await client.withSnapshot((at) =>
 *   Promise.all([at.getFeed(id), readProvenance(at, id, null)]),
 * )
 * if (feed && provenance?.recipe) {
 *   const { recipe, attested } = provenance
 *   const response = await fetch(`${provenance.api_url}&api_key=${apiKey}`)
 *   const rows = parseEiaRows(await response.text(), recipe, attested.period)
 *   console.log(recheck({ feed, recipe, attested, rows }).verdict)
 * }
 * ```
 *
 * @param body - the text of the answer
 * @param period - the period of an attestation, as an integer
 * @returns One row; several if the recipe leaves a facet open; none if EIA has no row of the period.
 * @throws `SyntaxError` when the body is not JSON.
 * @throws {@link EiaError} when the answer has no list of rows, or the rows lack the column.
 * @throws {@link PeriodError} when a row's period is not of the recipe's frequency.
 */
export function parseEiaRows(body: string, recipe: Recipe, period: number): EiaRow[] {
  const page = parsePage(parseExactJson(body), recipe, 200)
  const { rows } = selectRows(page, recipe, { isFirst: false })
  return rows.filter((row) => encodePeriod(recipe.frequency, row.period) === period)
}
