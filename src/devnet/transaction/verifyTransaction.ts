import { isValidApproval } from './approvals.ts'
import type { Refusal } from './refusal.ts'
import type { Transaction } from './transaction.ts'

/** What is wrong with a transaction's hashes and signatures, or null: what a node looks at last. */
export function verifyTransaction(transaction: Transaction): Refusal | null {
  const { approvals, hash } = transaction
  if (approvals.length === 0) return 'noApprovals'
  if (!transaction.hasValidBodyHash) return 'bodyHash'
  if (!transaction.hasValidHash) return 'hash'
  return approvals.every((approval) => isValidApproval(approval, hash)) ? null : 'approval'
}
