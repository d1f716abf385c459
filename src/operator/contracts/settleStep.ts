import type { ExecutedTransaction } from '../../casper/transaction/execution.ts'
import { TransactionRefusedError } from '../../casper/transaction/refusal.ts'
import { type SendOptions, sendTransaction } from '../../casper/transaction/sendTransaction.ts'
import {
  TransactionExpiredError,
  TransactionFailedError,
} from '../../casper/transaction/transactionErrors.ts'
import { readContractAfter } from './contractAfter.ts'
import type { PendingStep, SettledStep } from './deploymentFile.ts'
import { type Operation, save } from './operation.ts'

/**
 * Sends the signed bytes of a pending step, for the first time or again (`isSentBefore`), waits for their end and writes it down.
 *
 * Throws what `sendTransaction` throws. What was never executed and never will be is pending no more; of anything
 * else the file still knows when this fails.
 */
export async function settleStep(
  operation: Operation,
  pending: PendingStep,
  { isSentBefore }: Required<Pick<SendOptions, 'isSentBefore'>>,
): Promise<SettledStep> {
  const { step, transaction_hash, expires_at, transaction } = pending
  const signed = { hash: transaction_hash, expiresAt: expires_at, transaction }
  try {
    const executed = await sendTransaction(signed, {
      ...operation.follow,
      isSentBefore,
      rpc: operation.rpc,
      onEvent: (event) => operation.onProgress({ step, event, transactionHash: transaction_hash }),
    })
    operation.onProgress({ step, event: 'executed', executed })
    return await writeSuccess(operation, pending, executed)
  } catch (error) {
    await writeFailure(operation, pending, error)
    throw error
  }
}

async function writeSuccess(
  operation: Operation,
  pending: PendingStep,
  executed: ExecutedTransaction,
): Promise<SettledStep> {
  const settled = settledStep(pending, executed, null)
  const deployed = await readContractAfter(operation, pending)
  const { contracts, transactions } = operation.deployment
  await save(operation, {
    contracts: deployed ? { ...contracts, [pending.step.contract]: deployed } : contracts,
    transactions: [...transactions, settled],
    pending: null,
  })
  return settled
}

async function writeFailure(operation: Operation, pending: PendingStep, error: unknown): Promise<void> {
  const isNeverExecuted = error instanceof TransactionRefusedError || error instanceof TransactionExpiredError
  const executed = error instanceof TransactionFailedError ? error.executed : null
  if (!isNeverExecuted && executed === null) return
  const settled = settledStep(pending, executed, executed?.errorMessage ?? String(error))
  await save(operation, {
    transactions: [...operation.deployment.transactions, settled],
    pending: null,
  })
}

const settledStep = (
  { step, transaction_hash, payment_motes }: PendingStep,
  executed: ExecutedTransaction | null,
  error: string | null,
): SettledStep => ({
  step,
  transaction_hash,
  payment_motes,
  block_height: executed?.blockHeight ?? null,
  consumed_motes: executed?.consumedMotes.toString() ?? null,
  charged_motes: (executed?.chargedMotes ?? 0n).toString(),
  error,
})
