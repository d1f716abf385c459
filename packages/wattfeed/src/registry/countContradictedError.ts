import { WattfeedError } from '@wattfeed/base'

/**
 * Nodes contradict each other: one counts an item that all report as absent. Only with `verify: 'off'`, where a count is not proven.
 *
 * @example
 * ```ts
 * import { CountContradictedError } from 'wattfeed'
 *
 * await client.getValueHistory('EIA.PET.PRICE.WTI.DAILY').catch((error) => {
 *   if (!(error instanceof CountContradictedError)) throw error
 *   console.warn(error.item, error.counts)
 * })
 * ```
 */
export class CountContradictedError extends WattfeedError {
  static override readonly name = 'CountContradictedError'
  readonly code = 'count_contradicted'
  readonly retryable = true

  constructor(
    /** The item that is absent: `AttestationRegistry.history[EIA.PET.PRICE.WTI.DAILY#14]`. */
    readonly item: string,
    /** The number of items by the host of each node; null if it did not answer. */
    readonly counts: Readonly<Record<string, number | null>>,
  ) {
    const each = Object.entries(counts).map(([host, count]) => `${host}: ${count ?? 'no answer'}`)
    super(`contradiction: ${item} is absent, but counted (${each.join(', ')}); retry, or add a node`)
  }
}
