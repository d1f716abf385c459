import {
  TransactionExpiredError,
  TransactionFailedError,
} from '../../casper/transaction/followTransaction.ts'
import { TransactionRefusedError } from '../../casper/transaction/putTransaction.ts'
import { type SendOptions, sendTransaction } from '../../casper/transaction/sendTransaction.ts'
import type { PendingRegistration } from './pendingRegistration.ts'
import type { Registration } from './registration.ts'
import { type RegistrationReport, reportExecuted } from './registrationReport.ts'

/**
 * Sends the signed bytes of a registration, for the first time or again (`isSentBefore`), and waits for their end.
 *
 * Throws what `sendTransaction` throws. What is pending is forgotten once its end is known.
 */
export async function settleRegistration(
  registration: Registration,
  pending: PendingRegistration,
  sent: Required<Pick<SendOptions, 'isSentBefore'>>,
): Promise<RegistrationReport> {
  try {
    const report = await follow(registration, pending, sent)
    await registration.pending.clear()
    return report
  } catch (error) {
    if (isEnd(error)) await registration.pending.clear()
    throw error
  }
}

async function follow(
  { rpc, follow: options, onProgress }: Registration,
  pending: PendingRegistration,
  sent: Required<Pick<SendOptions, 'isSentBefore'>>,
): Promise<RegistrationReport> {
  const { feed_id: feedId, transaction_hash: hash, expires_at: expiresAt, transaction } = pending
  const executed = await sendTransaction(
    { hash, expiresAt, transaction },
    { ...options, ...sent, rpc, onEvent: (event) => onProgress({ feedId, event, transactionHash: hash }) },
  )
  onProgress({ feedId, event: 'executed', executed })
  return reportExecuted(pending, executed)
}

/** Whether it is known that a transaction will not be executed any more. */
const isEnd = (error: unknown): boolean =>
  error instanceof TransactionRefusedError ||
  error instanceof TransactionFailedError ||
  error instanceof TransactionExpiredError
