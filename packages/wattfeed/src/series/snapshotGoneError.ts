import { WattfeedError } from '@wattfeed/base'

/**
 * The snapshot of a root that was asked for is not where it was looked for, and will not come back: snapshots of old roots are removed.
 * No other root answers instead. Read the range again from its start, without an index.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { getSeriesRange, SnapshotGoneError } from 'wattfeed/series'
 *
 * const series = { route: 'coal/mine-production', frequency: 'annual', column: 'production', facets: {} }
 * const files = 'https://example.com/datasets/eia.dataset.coal.mine-production.annual'
 * const page = await getSeriesRange(createClient(), { ...series, index: 3 }, { files }).catch((error) => {
 *   if (error instanceof SnapshotGoneError) return null // start again
 *   throw error
 * })
 * ```
 */
export class SnapshotGoneError extends WattfeedError {
  static override readonly name = 'SnapshotGoneError'
  readonly code = 'snapshot_gone'
  readonly retryable = false

  constructor(
    /** Id of the feed that has the dataset's roots. */
    readonly feedId: string,
    /** The root: 64 hex digits. */
    readonly root: string,
    /** Index of its attestation. */
    readonly index: number,
  ) {
    super(
      `the snapshot of ${feedId} with the root ${root}, which has the index ${index}, is gone; start again with the newest root, or name a place that has it, which is DATASETS of a server`,
    )
  }
}
