import { TransactionFailedError } from '../../casper/transaction/followTransaction.ts'
import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import type { WattfeedError } from '../../errors.ts'
import { type ErrorFields, errorFields } from '../../runtime/errorFields.ts'
import type { PendingRegistration } from './pendingRegistration.ts'

/** What became of a feed's registration, as `register` prints it. */
export interface RegistrationReport {
  feed_id: string
  /**
   * `done`: there was nothing to do. `planned`: would be sent. `refused`: nothing was sent, for it would have failed.
   * `pending`: sent, and its end is not known. `failed`: sent, and nothing was registered. `not_sent`: given up,
   * because one before it did not succeed.
   */
  state: 'done' | 'planned' | 'refused' | 'executed' | 'failed' | 'pending' | 'not_sent'
  transaction_hash: string | null
  block_height: number | null
  /** In motes; null where nothing is sent. */
  payment_motes: string | null
  consumed_motes: string | null
  charged_motes: string | null
  error: ErrorFields | null
}

const nothing = {
  transaction_hash: null,
  block_height: null,
  payment_motes: null,
  consumed_motes: null,
  charged_motes: null,
  error: null,
}

/** A feed that the chain has as it is configured. */
export const reportDone = (feedId: string): RegistrationReport => ({
  feed_id: feedId,
  state: 'done',
  ...nothing,
})

/** A feed that would be registered. */
export const reportPlanned = (feedId: string, paymentMotes: bigint): RegistrationReport => ({
  ...nothing,
  feed_id: feedId,
  state: 'planned',
  payment_motes: paymentMotes.toString(),
})

/** A feed for which nothing was sent, and why. */
export const reportRefused = (feedId: string, error: WattfeedError): RegistrationReport => ({
  ...nothing,
  feed_id: feedId,
  state: 'refused',
  error: errorFields(error),
})

/** A feed for which nothing was sent, because of another one or because the chain could not be read. */
export const reportNotSent = (feedId: string, error: WattfeedError | null): RegistrationReport => ({
  ...nothing,
  feed_id: feedId,
  state: 'not_sent',
  error: error && errorFields(error),
})

/** A feed that was registered. */
export const reportExecuted = (
  pending: PendingRegistration,
  executed: ExecutedTransaction,
): RegistrationReport => ({ ...reportSent(pending), ...executionFields(executed), state: 'executed' })

/** A feed whose transaction an earlier run has sent. */
export const reportPending = (pending: PendingRegistration): RegistrationReport => reportSent(pending)

/**
 * A feed whose transaction was refused, failed or expired; or, where the error tells of no end, may still be
 * executed.
 */
export function reportError(pending: PendingRegistration, error: WattfeedError): RegistrationReport {
  const isFailed = error instanceof TransactionFailedError
  return {
    ...reportSent(pending),
    ...(isFailed ? executionFields(error.executed) : {}),
    state: ENDS.has(error.code) ? 'failed' : 'pending',
    error: errorFields(error),
  }
}

const ENDS = new Set(['transaction_refused', 'transaction_failed', 'transaction_expired'])

const reportSent = (pending: PendingRegistration): RegistrationReport => ({
  ...nothing,
  feed_id: pending.feed_id,
  state: 'pending',
  transaction_hash: pending.transaction_hash,
  payment_motes: pending.payment_motes,
})

const executionFields = ({ blockHeight, consumedMotes, chargedMotes }: ExecutedTransaction) => ({
  block_height: blockHeight,
  consumed_motes: consumedMotes.toString(),
  charged_motes: chargedMotes.toString(),
})
