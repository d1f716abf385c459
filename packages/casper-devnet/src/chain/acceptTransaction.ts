import { readBalance } from '../engine/purse.ts'
import type { StateReader } from '../engine/trackingCopy.ts'
import {
  checkAccount,
  checkContract,
  checkTransaction,
  type TransactionCheck,
  verifyTransaction,
} from '../transaction/checkTransaction.ts'
import type { Refusal } from '../transaction/refusal.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { findAccount } from './account.ts'
import { readValue } from './overlay.ts'

/**
 * Returns the reason for which a node rejects a transaction, or null. Checks in the node's order: the transaction
 * itself, its account and balance, the called contract, and last its hashes and signatures.
 */
export function acceptTransaction(
  transaction: Transaction,
  check: TransactionCheck,
  state: StateReader,
): Refusal | null {
  const lane = checkTransaction(transaction, check)
  if (typeof lane === 'string') return lane
  const account = findAccount(state, transaction.initiator.accountHash)
  if (account === null) return 'noAccount'
  const balance = readBalance(state, account.mainPurse)
  return (
    checkAccount(transaction, account, balance, check.rules.minPaymentMotes) ??
    checkContract(transaction.target, (key) => readValue(state, key), check.rules) ??
    verifyTransaction(transaction)
  )
}
