import { defineError } from '@wattfeed/base'

/**
 * A series that its dataset cannot have: its route, frequency, column, facets or a period is none of the dataset's. Letters count, and
 * so does their case. Or the dataset has no root with the index.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { getSeries, SeriesQueryError } from 'wattfeed/series'
 *
 * const series = { route: 'coal/mine-production', frequency: 'annual', column: 'Production', facets: {} }
 * const files = 'https://example.com/eia.dataset.coal.mine-production.annual'
 * await getSeries(createClient(), series, { files }).catch((error) => {
 *   if (!(error instanceof SeriesQueryError)) throw error
 *   console.warn(error.member, error.rule) // column the columns of coal/mine-production are production
 * })
 * ```
 */
export const SeriesQueryError = defineError(
  'SeriesQueryError',
  'series_query',
  (facts: {
    /** The member that is wrong. */
    member:
      | 'route'
      | 'frequency'
      | 'column'
      | 'facets'
      | 'period'
      | 'period_from'
      | 'period_to'
      | 'index'
      | 'sort'
    /** Id of the facet that the dataset does not have; null if none is. */
    facet: string | null
    /** What the member may be. */
    rule: string
  }) => `${placeOf(facts)}${facts.rule}`,
)
export type SeriesQueryError = InstanceType<typeof SeriesQueryError>

/** Says what a rule is about. That of missing facets names them itself. */
function placeOf({ member, facet }: { readonly member: string; readonly facet: string | null }): string {
  if (facet !== null) return `${member} ${JSON.stringify(facet)}: `
  return member === 'facets' ? '' : `${member}: `
}
