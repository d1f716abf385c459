import { parseEiaRows, type Recheck, type RecheckInput, type Recipe, recheck } from 'wattfeed/provenance'

/**
 * Rechecks a value with the body of EIA's answer.
 *
 * @throws when the body does not contain rows of the series
 */
export function recheckBody(body: string, input: Omit<RecheckInput, 'rows'> & { recipe: Recipe }): Recheck {
  return recheck({ ...input, rows: parseEiaRows(body, input.recipe, input.attested.period) })
}
