import { WattfeedError } from '@wattfeed/base'

/**
 * The snapshot of a dataset's root is not where it was looked for. Usually the root is new, and its files follow shortly.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { getSeries, SnapshotMissingError } from 'wattfeed/series'
 *
 * const series = { route: 'coal/mine-production', frequency: 'annual', column: 'production', facets: {} }
 * const files = 'https://example.com/eia.dataset.coal.mine-production.annual'
 * const found = await getSeries(createClient(), series, { files }).catch((error) => {
 *   if (error instanceof SnapshotMissingError) return null // retry later
 *   throw error
 * })
 * ```
 */
export class SnapshotMissingError extends WattfeedError {
  static override readonly name = 'SnapshotMissingError'
  readonly code = 'snapshot_missing'
  readonly retryable = true

  constructor(
    /** Id of the feed that has the dataset's roots. */
    readonly feedId: string,
    /** The root: 64 hex digits. */
    readonly root: string,
  ) {
    super(
      `no snapshot of ${feedId} with the root ${root}; retry later, or name a place that has it, which is DATASETS of a server`,
    )
  }
}
