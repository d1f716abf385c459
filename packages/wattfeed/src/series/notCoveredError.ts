import { WattfeedError } from '@wattfeed/base'
import type { DatasetSeries } from '@wattfeed/dataset'

/**
 * A root has no value of the column by the facets of a series, because its snapshot was made without them. So it does not say whether EIA
 * had a value.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { getSeries, NotCoveredError } from 'wattfeed/series'
 *
 * const series = { route: 'coal/mine-production', frequency: 'annual', column: 'production', facets: {} }
 * const files = 'https://example.com/datasets/eia.dataset.coal.mine-production.annual'
 * const found = await getSeries(createClient(), { ...series, index: 0 }, { files }).catch((error) => {
 *   if (error instanceof NotCoveredError) return null // the first root was made without the column
 *   throw error
 * })
 * ```
 */
export class NotCoveredError extends WattfeedError {
  static override readonly name = 'NotCoveredError'
  readonly code = 'not_covered'
  readonly retryable = false

  constructor(
    /** Id of the feed that has the dataset's roots. */
    readonly feedId: string,
    /** The root: 64 hex digits. */
    readonly root: string,
    /** Index of its attestation. */
    readonly index: number,
    { column, facets }: Pick<DatasetSeries, 'column' | 'facets'>,
  ) {
    const ids = Object.keys(facets).sort().join(', ')
    super(
      `the root ${root} of ${feedId}, which has the index ${index}, was made without the column ${column} or with other facets than ${ids || 'none'}, so it does not say whether there was a value; ask for a later root`,
    )
  }
}
