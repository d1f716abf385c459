import { WattfeedError } from '../errors.ts'
import type { RegistryName } from '../registry/layout.ts'

// What is loaded later throws these. They stand apart, so that they are loaded at once and `instanceof` can be asked.

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
    super(
      `the node lags behind: the ${registry}'s event log has ${length} entries, ${seen} were seen before; ask another node`,
    )
  }
}

/** A node whose newest block is far older than that of another one: it stands still, or hides new blocks. */
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

/** Switch blocks that nobody has asked for yet are fetched one way at a time, and another one is under way. */
export class ProofBusyError extends WattfeedError {
  static override readonly name = 'ProofBusyError'
  readonly code = 'proof_busy'
  readonly retryable = true

  constructor() {
    super('the switch blocks of another proof are being fetched; ask again in some seconds')
  }
}
