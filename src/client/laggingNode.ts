import { WattfeedError } from '../errors.ts'
import type { RegistryName } from '../registry/layout.ts'

/** A node whose event log is shorter than what was seen: it lags behind. */
export class LaggingNodeError extends WattfeedError {
  static override readonly name = 'LaggingNodeError'
  readonly code = 'lagging_node'
  readonly retryable = true

  constructor(
    readonly registry: RegistryName,
    /** Events that the node knows. */
    readonly length: number,
    /** Events that were seen before. */
    readonly seen: number,
  ) {
    super(`the node lags behind: the ${registry}'s event log has ${length} entries, ${seen} were seen before`)
  }
}
