import { WattfeedError } from '../errors.ts'
import type { RegistryName } from '../registry/layout.ts'

// Thrown by code that is loaded on demand. Separate, so that `instanceof` works before that.

/** A node lags: its event log is shorter than before. */
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
    super(
      `the node lags behind: the ${registry}'s event log has ${length} entries, ${seen} were seen before; ask another node`,
    )
  }
}

/** A node's newest block is far older than another node's: it is stuck, or hides new blocks. */
export class StaleNodeError extends WattfeedError {
  static override readonly name = 'StaleNodeError'
  readonly code = 'stale_node'
  readonly retryable = true

  constructor(
    /** How much older its newest block is, in milliseconds. */
    readonly behindMs: number,
  ) {
    super(`the node's newest block is ${behindMs} ms older than another node's; ask another node`)
  }
}

/** The server is fetching the switch blocks of another proof, one at a time. */
export class ProofBusyError extends WattfeedError {
  static override readonly name = 'ProofBusyError'
  readonly code = 'proof_busy'
  readonly retryable = true

  constructor() {
    super('the switch blocks of another proof are being fetched; ask again in some seconds')
  }
}
