import { WattfeedError } from '@wattfeed/base'

/**
 * Nodes disagree on a block that is on chain: one of them answered with another block, or does not have it yet. Behind a load
 * balancer, they share one address.
 *
 * @example
 * ```ts
 * import { NodesDisagreeError } from 'wattfeed'
 *
 * const found = await client.getTransaction('EIA.PET.PRICE.WTI.DAILY', 0).catch((error) => {
 *   if (error instanceof NodesDisagreeError) return null // retry later
 *   throw error
 * })
 * ```
 */
export class NodesDisagreeError extends WattfeedError {
  static override readonly name = 'NodesDisagreeError'
  readonly code = 'nodes_disagree'
  readonly retryable = true

  constructor(
    /** Height of the block. */
    readonly height: number,
  ) {
    super(`nodes disagree on block ${height}; retry, or give each node its own address`)
  }
}
