import { formatMessage } from '../chain/chainEvents.ts'
import type { ChainView } from '../chain/chainView.ts'
import { codeEffects } from '../chain/executeTransaction.ts'
import { formatTransfer } from '../chain/formatTransfer.ts'
import { formatEffect } from '../engine/transform.ts'
import { requiredField } from '../params.ts'
import { parseDeploy } from '../transaction/deploy.ts'
import { parseTransaction } from '../transaction/parseTransaction.ts'
import { refusalReason } from '../transaction/refusal.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { requestFailed } from './refusedCall.ts'

/** `speculative_exec`: what a deploy would do after the newest block. */
export const speculativeExec = (view: ChainView, params: unknown): object =>
  executed(view, parseDeploy(requiredField(params, 'deploy')))

/** `speculative_exec_txn`: what a transaction would do after the newest block. */
export const speculativeExecTxn = (view: ChainView, params: unknown): object =>
  executed(view, parseTransaction(requiredField(params, 'transaction')))

/** A node shows only the code: no hold, no fee and no refund. */
function executed(view: ChainView, transaction: Transaction): object {
  const { hash } = view.tip()
  const result = view.simulate(transaction)
  if (typeof result === 'string') throw rejected(refusalReason(result, transaction.version))
  return {
    execution_result: {
      block_hash: hash,
      transfers: result.transfers.map((each) => formatTransfer(transaction, each)),
      limit: String(result.limitMotes),
      consumed: String(result.consumedMotes),
      effects: codeEffects(result).map(formatEffect),
      messages: result.messages.map(formatMessage),
      error: result.error,
    },
  }
}

/** Not recorded: from the source of the sidecar. */
const rejected = (reason: string): Error =>
  requestFailed(
    'speculatively executing a transaction',
    `could not execute the provided transaction: ${reason}`,
  )
