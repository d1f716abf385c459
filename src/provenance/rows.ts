import type { EiaClient } from '../eia/createEiaClient.ts'
import { EiaNoRowsError } from '../eia/eiaErrors.ts'
import { encodePeriod } from '../eia/period.ts'
import type { Recipe } from '../eia/recipe.ts'
import type { EiaRow } from '../eia/series.ts'

// The most rows that EIA's API returns at once, and more than any series has.
const PAGE_LENGTH = 5_000
const MAX_ROWS = 1_000_000

/**
 * Lists EIA's rows of a recipe from a period on, by period: none if EIA has no row of it any more, several where the
 * recipe leaves a facet open.
 *
 * @throws what the EIA client throws.
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
