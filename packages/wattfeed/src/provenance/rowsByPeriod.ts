import {
  type EiaClient,
  EiaIncompleteError,
  EiaNoRowsError,
  type EiaRow,
  encodePeriod,
  endText,
  MAX_PAGE_ROWS,
} from '@wattfeed/eia'
import type { Recipe } from './recipe.ts'

/** More than any recipe has: 22 years of hours are 200,000 periods, and an open facet gives each of them several rows. */
const MAX_ROWS = 1_000_000

/**
 * Lists EIA's rows of a recipe from the first to the last of some periods, grouped by period. A period has no rows if EIA withdrew
 * it, and several if the recipe leaves a facet open.
 *
 * @throws {@link EiaError} when EIA gives no usable answer, or not all of these rows.
 */
export async function rowsByPeriod(
  eia: Pick<EiaClient, 'listRowsSince'>,
  recipe: Recipe,
  periods: readonly number[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, readonly EiaRow[]>> {
  const { route, frequency } = recipe
  const [oldest, newest] = rangeOf(periods)
  const series = { ...recipe, end: endText(frequency, newest) }
  const options = { since: oldest - 1, most: MAX_ROWS, pageLength: MAX_PAGE_ROWS, mayRepeat: true }
  try {
    const { rows, isComplete } = await eia.listRowsSince(series, signal ? { ...options, signal } : options)
    if (!isComplete) throw new EiaIncompleteError({ route, status: null })
    return Map.groupBy(rows, (row) => encodePeriod(frequency, row.period))
  } catch (error) {
    if (error instanceof EiaNoRowsError) return new Map()
    throw error
  }
}

/** Not by `Math.min(...periods)`, which a long history would overflow. */
function rangeOf(periods: readonly number[]): [oldest: number, newest: number] {
  return [
    periods.reduce((least, period) => Math.min(least, period), Number.POSITIVE_INFINITY),
    periods.reduce((most, period) => Math.max(most, period), 0),
  ]
}
