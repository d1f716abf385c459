import { WattfeedError } from '../../errors.ts'
import type { ExecutedTransaction } from './execution.ts'

/** A transaction was executed and failed: its whole payment is lost. */
export class TransactionFailedError extends WattfeedError {
  static override readonly name = 'TransactionFailedError'
  readonly code = 'transaction_failed'
  readonly retryable = false

  constructor(readonly executed: ExecutedTransaction) {
    const { transactionHash, errorMessage, blockHeight, chargedMotes } = executed
    super(
      `transaction ${transactionHash} failed in block ${blockHeight}: ${errorMessage}; ${chargedMotes} motes were charged`,
    )
  }
}

/** No block holds the transaction, and none can any more: nothing was charged. */
export class TransactionExpiredError extends WattfeedError {
  static override readonly name = 'TransactionExpiredError'
  readonly code = 'transaction_expired'
  readonly retryable = true

  constructor(readonly transactionHash: string) {
    super(`transaction ${transactionHash} expired without being executed; nothing was charged: send it again`)
  }
}

/** What has become of a transaction could not be found out. It must not be replaced by another one. */
export class TransactionUnresolvedError extends WattfeedError {
  static override readonly name = 'TransactionUnresolvedError'
  readonly code = 'transaction_unresolved'
  readonly retryable = true

  constructor(
    readonly transactionHash: string,
    /** What the nodes were doing. */
    readonly trouble: string,
  ) {
    super(`what became of transaction ${transactionHash} is not known (${trouble}); ask for it again later`)
  }
}
