import { parseEiaRows, type Recheck, type RecheckInput, type Recipe, recheck } from 'wattfeed/provenance'

interface RecheckedValue {
  readonly feed: RecheckInput['feed']
  readonly recipe: Recipe
  readonly attested: RecheckInput['attested']
}

/**
 * Rechecks a value with the body of EIA's answer. Its file is loaded on demand, because few readers recheck a value.
 *
 * @throws when the body does not contain rows of the series
 */
export function recheckBody(body: string, { feed, recipe, attested }: RecheckedValue): Recheck {
  return recheck({ feed, recipe, attested, rows: parseEiaRows(body, recipe, attested.period) })
}
