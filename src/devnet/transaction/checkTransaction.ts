import { findLane, type Lane } from './lane.ts'
import type { Refusal } from './refusal.ts'
import type { Transaction } from './transaction.ts'
import type { TransactionRules } from './transactionRules.ts'

/** What a transaction is checked against before the chain's state is looked at. */
export interface TransactionCheck {
  chainName: string
  /** Epoch milliseconds. */
  nowMs: number
  rules: TransactionRules
}

/**
 * What a node holds against a transaction without looking at the chain's state, or the lane that it takes.
 *
 * The order is the node's: a transaction with several faults is refused for the same one.
 */
export function checkTransaction(transaction: Transaction, check: TransactionCheck): Refusal | Lane {
  const { rules, chainName, nowMs } = check
  const lane = findLane(transaction, rules)
  return (
    checkPricing(transaction, rules) ??
    (lane === null ? 'unspecified' : null) ??
    (transaction.chainName === chainName ? null : 'chainName') ??
    checkPayment(transaction, rules) ??
    checkTime(transaction, check) ??
    checkSizes(transaction, rules, lane) ??
    checkTarget(transaction) ??
    (transaction.timestampMs + transaction.ttlMs < nowMs ? 'expired' : null) ??
    lane ??
    'unspecified'
  )
}

function checkPricing({ pricing, payment }: Transaction, rules: TransactionRules): Refusal | null {
  if (pricing.kind === 'paymentLimited') {
    if (pricing.gasPriceTolerance < rules.minGasPrice) return 'gasPriceToleranceTooLow'
    return pricing.gasPriceTolerance > rules.maxGasPrice || !pricing.isStandardPayment ? 'pricingMode' : null
  }
  if (payment === 'withoutAmount') return 'missingPayment'
  if (payment === 'withBadAmount') return 'badPayment'
  return payment === 'standard' ? 'pricingMode' : 'paymentVariant'
}

function checkPayment({ pricing, args }: Transaction, rules: TransactionRules): Refusal | null {
  if (args === null || pricing.kind === 'other') return 'unspecified'
  if (pricing.paymentMotes < rules.minPaymentMotes) return 'unspecified'
  return null
}

function checkTime(transaction: Transaction, { rules, nowMs }: TransactionCheck): Refusal | null {
  if (transaction.hasDependencies) return 'dependencies'
  if (transaction.ttlMs > rules.maxTtlMs) return 'timeToLive'
  return transaction.timestampMs > nowMs + rules.timestampLeewayMs ? 'timestampInFuture' : null
}

function checkSizes(
  { approvals, pricing, paymentArgumentBytes, argumentBytes, sizeBytes, version }: Transaction,
  rules: TransactionRules,
  lane: Lane | null,
): Refusal | null {
  if (approvals.length > rules.maxApprovals) return 'approvalsCount'
  if (pricing.kind === 'paymentLimited' && pricing.paymentMotes > rules.blockGasLimit) return 'blockGasLimit'
  if (lane !== null && sizeBytes > lane.maxTransactionBytes) return 'size'
  if (version === 'Deploy' && paymentArgumentBytes > rules.maxDeployPaymentArgumentBytes)
    return 'paymentArgumentsLength'
  return lane !== null && argumentBytes > lane.maxArgumentBytes ? 'argumentsLength' : null
}

function checkTarget({ target, hasFittingEntryPoint }: Transaction): Refusal | null {
  if (target.kind === 'native') return 'kind'
  if (!hasFittingEntryPoint) return 'entryPoint'
  return target.kind === 'session' && target.wasm.length === 0 ? 'emptyModule' : null
}
