import type { Account } from '../../casper/types/account.ts'
import { accountHashOf } from './publicKey.ts'
import type { Refusal } from './refusal.ts'
import type { Transaction } from './transaction.ts'

/**
 * What a node holds against a transaction of this account, or null: keys that are not its own, too little weight,
 * less in its purse than the least that a transaction pays.
 */
export function checkAccount(
  { approvals }: Transaction,
  account: Account,
  balanceMotes: bigint,
  minPaymentMotes: bigint,
): Refusal | null {
  const weights = new Map(
    account.associatedKeys.map(({ accountHash, weight }) => [accountHash.toHex(), weight]),
  )
  const signers = new Set(approvals.map(({ signer }) => accountHashOf(signer).toHex()))
  if (signers.size === 0 || [...signers].some((each) => !weights.has(each))) return 'associatedKeys'
  const weight = [...signers].reduce((sum, each) => sum + (weights.get(each) ?? 0), 0)
  if (weight < account.actionThresholds.deployment) return 'signatureWeight'
  return balanceMotes < minPaymentMotes ? 'balance' : null
}
