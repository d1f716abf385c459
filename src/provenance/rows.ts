import type { EiaClient } from '../eia/createEiaClient.ts'
import { EiaNoRowsError } from '../eia/eiaErrors.ts'
import { encodePeriod } from '../eia/period.ts'
import type { Recipe } from '../eia/recipe.ts'
import type { EiaRow } from '../eia/series.ts'

// The maximum number of rows per response of EIA's API, and a number that exceeds the rows of any series.
const PAGE_LENGTH = 5_000
const MAX_ROWS = 1_000_000

/**
 * Fetches EIA's rows of a recipe, starting at a period, and groups them by period. A period can have no row if EIA has
 * withdrawn it, and several rows if the recipe does not fix all facets.
 *
 * @throws the errors of the EIA client.
 */
export async function listRowsFrom(
  eia: Pick<EiaClient, 'listRowsSince'>,
  recipe: Recipe,
  period: number,
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, readonly EiaRow[]>> {
  try {
    const { rows } = await eia.listRowsSince(recipe, {
      since: period - 1,
      most: MAX_ROWS,
      pageLength: PAGE_LENGTH,
      mayRepeat: true,
      ...(signal ? { signal } : {}),
    })
    return Map.groupBy(rows, (row) => encodePeriod(recipe.frequency, row.period))
  } catch (error) {
    if (error instanceof EiaNoRowsError) return new Map()
    throw error
  }
}
