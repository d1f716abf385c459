import { accountKey, stateKey } from '../../casper/types/key.ts'
import { decodeStoredValue, type StoredValue } from '../../casper/types/storedValue.ts'
import { checkAccount } from '../transaction/checkAccount.ts'
import { checkContract } from '../transaction/checkContract.ts'
import { checkTransaction, type TransactionCheck } from '../transaction/checkTransaction.ts'
import type { Lane } from '../transaction/lane.ts'
import type { Refusal } from '../transaction/refusal.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { verifyTransaction } from '../transaction/verifyTransaction.ts'
import { readBalance } from './executeTransaction.ts'
import type { Overlay } from './overlay.ts'

/**
 * What a node holds against a transaction, or the lane that it takes. The order is the node's: the transaction by
 * itself, its account and what that can pay, the contract that it calls, and its hashes and signatures last.
 */
export function acceptTransaction(
  transaction: Transaction,
  check: TransactionCheck,
  state: Pick<Overlay, 'read'>,
): Refusal | Lane {
  const lane = checkTransaction(transaction, check)
  if (typeof lane === 'string') return lane
  const account = readValue(state, accountKey(transaction.initiator.accountHash))
  if (account?.kind !== 'Account') return 'noAccount'
  const balance = readBalance(state, account.account.mainPurse)
  return (
    checkAccount(transaction, account.account, balance, check.rules.minPaymentMotes) ??
    checkContract(transaction.target, (key) => readValue(state, key)) ??
    verifyTransaction(transaction) ??
    lane
  )
}

function readValue(state: Pick<Overlay, 'read'>, key: Uint8Array): StoredValue | null {
  const stored = state.read(stateKey(key))
  return stored === null ? null : decodeStoredValue(stored)
}
