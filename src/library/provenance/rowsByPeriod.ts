import { type EiaClient, EiaNoRowsError, type EiaRow, encodePeriod } from '@wattfeed/eia'
import type { Recipe } from './recipe.ts'
import { EIA_PAGE_LENGTH } from './recipes.ts'

/** A limit that no series reaches. */
const MAX_ROWS = 1_000_000

/**
 * Lists EIA's rows of a recipe since a period, grouped by period. A period has no rows if EIA withdrew it, and several if
 * the recipe leaves a facet open.
 *
 * @throws {@link EiaError} when EIA gives no usable answer.
 */
export async function rowsByPeriod(
  eia: Pick<EiaClient, 'listRowsSince'>,
  recipe: Recipe,
  period: number,
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, readonly EiaRow[]>> {
  try {
    const { rows } = await eia.listRowsSince(recipe, {
      since: period - 1,
      most: MAX_ROWS,
      pageLength: EIA_PAGE_LENGTH,
      mayRepeat: true,
      ...(signal ? { signal } : {}),
    })
    return Map.groupBy(rows, (row) => encodePeriod(recipe.frequency, row.period))
  } catch (error) {
    if (error instanceof EiaNoRowsError) return new Map()
    throw error
  }
}
