import type { Attestation } from '../../../packages/wattfeed/src/registry/attestation.ts'

/** The values of a feed on chain. */
export interface FeedHistory {
  feedId: string
  decimals: number
  /** In the order of the chain. */
  values: readonly Attestation[]
}

/**
 * Returns the SHA-256 digest of the feeds' values on chain, in hex, in their order and without times and transactions.
 * Two versions of the code that attest the same values from the same seed have the same digest.
 */
export function digestChain(histories: readonly FeedHistory[]): string {
  const lines = histories.flatMap(({ feedId, decimals, values }) => [
    `${feedId} ${decimals}`,
    ...values.map(({ period, amount, source_hash }) => `${period} ${amount} ${source_hash}`),
  ])
  return Bun.SHA256.hash(lines.join('\n'), 'hex')
}
