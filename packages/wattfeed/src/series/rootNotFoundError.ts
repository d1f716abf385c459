import { WattfeedError } from '@wattfeed/base'

/**
 * A dataset had no root yet at the time that was asked for. No later root answers instead.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { getSeries, RootNotFoundError } from 'wattfeed/series'
 *
 * const series = { route: 'coal/mine-production', frequency: 'annual', column: 'production', facets: {} }
 * const files = 'https://example.com/datasets/eia.dataset.coal.mine-production.annual'
 * const found = await getSeries(createClient(), { ...series, as_of: Date.UTC(2026, 0, 1) }, { files }).catch((error) => {
 *   if (error instanceof RootNotFoundError) return null // nothing was attested then
 *   throw error
 * })
 * ```
 */
export class RootNotFoundError extends WattfeedError {
  static override readonly name = 'RootNotFoundError'
  readonly code = 'root_not_found'
  readonly retryable = false

  constructor(
    /** Id of the feed that has the dataset's roots. */
    readonly feedId: string,
    /** The time, in epoch milliseconds. */
    readonly asOf: number,
    /** When the first value of the feed was attested, in epoch milliseconds. */
    readonly firstAt: number,
  ) {
    super(
      `${feedId} had no root at ${timeOf(asOf)}; its first was attested at ${timeOf(firstAt)}, so ask for that time or a later one`,
    )
  }
}

const timeOf = (ms: number): string => new Date(ms).toISOString()
