import { WattfeedError } from '@wattfeed/base'
import type { RegistryName } from '../registry/layout.ts'

// Code that is loaded on demand throws these. They are separate so that `instanceof` works before it is loaded.

/**
 * A lagging node: its event log is shorter than before.
 *
 * @example
 * ```ts
 * import { LaggingNodeError } from 'wattfeed'
 *
 * await client.listReadings().catch((error) => {
 *   if (!(error instanceof LaggingNodeError)) throw error
 *   console.warn(`${error.registry}: ${error.length} of ${error.seen} events`)
 * })
 * ```
 */
export class LaggingNodeError extends WattfeedError {
  static override readonly name = 'LaggingNodeError'
  readonly code = 'lagging_node'
  readonly retryable = true

  constructor(
    /** The registry whose event log is shorter. */
    readonly registry: RegistryName,
    /** Number of events that the node has. */
    readonly length: number,
    /** Number of events that were seen before. */
    readonly seen: number,
  ) {
    super(
      `lagging node: the event log of the ${registry} has ${length} entries, but had ${seen} before; use another node`,
    )
  }
}

/**
 * Another proof is still being fetched. Long runs of switch blocks and lists are fetched one at a time.
 *
 * @example
 * ```ts
 * import { ProofBusyError } from 'wattfeed'
 *
 * const proof = await client.getFeedProof('EIA.PET.PRICE.WTI.DAILY').catch((error) => {
 *   if (error instanceof ProofBusyError) return null // retry later
 *   throw error
 * })
 * ```
 */
export class ProofBusyError extends WattfeedError {
  static override readonly name = 'ProofBusyError'
  readonly code = 'proof_busy'
  readonly retryable = true

  constructor() {
    super('busy with another proof; retry in a few seconds')
  }
}

/**
 * The transaction of a value was not found: no block has the value's time, or a contract attested the value.
 *
 * @example
 * ```ts
 * import { TransactionNotFoundError } from 'wattfeed'
 *
 * const found = await client.getTransaction('EIA.PET.PRICE.WTI.DAILY', 0).catch((error) => {
 *   if (error instanceof TransactionNotFoundError) return null
 *   throw error
 * })
 * ```
 */
export class TransactionNotFoundError extends WattfeedError {
  static override readonly name = 'TransactionNotFoundError'
  readonly code = 'transaction_not_found'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    /** Why it was not found. */
    readonly reason: string,
  ) {
    super(`${feedId}: transaction not found: ${reason}`)
  }
}

/**
 * The chain stores a contract or an account as an addressable entity, of which no proof for others can be made. It can be read and proven
 * with `verify`.
 *
 * @example
 * ```ts
 * import { UnsupportedAccountError } from 'wattfeed'
 *
 * try {
 *   await client.getFeedProof('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof UnsupportedAccountError)) throw error
 *   console.error(error.account)
 * }
 * ```
 */
export class UnsupportedAccountError extends WattfeedError {
  static override readonly name = 'UnsupportedAccountError'
  readonly code = 'unsupported_account'
  readonly retryable = false

  constructor(
    /** `account-hash-…`, or `hash-…` of a package. */
    readonly account: string,
  ) {
    super(`the chain stores ${account} as an addressable entity, which is unsupported`)
  }
}
