import { sendTransaction } from '../../casper/transaction/sendTransaction.ts'
import { WattfeedError } from '../../errors.ts'
import type { Outgoing } from './inFlight.ts'
import { type OutboxContext, tell } from './outboxContext.ts'
import { type PendingTransaction, signedOf } from './pendingTransaction.ts'
import { removePending } from './pendingTransactions.ts'
import { executedSettlement, failedSettlement, type Settlement } from './settledTransaction.ts'

/**
 * Sends the signed bytes of a pending transaction, for the first time or again, and follows them to their end.
 *
 * Throws where the end is not known: then the transaction stays pending.
 */
export async function settlePending(
  context: OutboxContext,
  { feedIds }: Outgoing,
  pending: PendingTransaction,
  isSentBefore: boolean,
): Promise<Settlement> {
  const transactionHash = pending.transaction_hash
  const settlement = await sendTransaction(signedOf(pending), {
    ...context,
    isSentBefore,
    onEvent: (step) => tell(context, { step, transactionHash, feedIds }),
  }).then(
    (executed) => executedSettlement(pending, executed),
    (error) => {
      const failed = failedSettlement(pending, error)
      if (failed !== null) return failed
      context.signal?.throwIfAborted()
      throw error
    },
  )
  await tell(context, { step: 'settled', ...settlement })
  return settlement
}

/**
 * Removes the file of a transaction that is settled and told of. One that cannot be removed is settled once more by
 * the next run, which does no harm.
 */
export async function forgetPending(
  context: OutboxContext,
  outgoing: Outgoing,
  { transaction_hash: transactionHash }: PendingTransaction,
): Promise<void> {
  outgoing.pending = null
  try {
    await removePending(context.stateDir, transactionHash)
  } catch (error) {
    if (!(error instanceof WattfeedError)) throw error
    context.log?.warn({ transaction_hash: transactionHash, error: error.message }, 'a settled file stays')
    return
  }
  await tell(context, { step: 'removed', transactionHash, feedIds: outgoing.feedIds })
}
