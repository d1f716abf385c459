import {
  type Account,
  type ContractPackage,
  type ContractVersionKey,
  compareVersions,
  hashKey,
  isEnabled,
  type StoredValue,
} from '@wattfeed/casper/types'
import { checkSigners } from '../engine/keyWeights.ts'
import { isValidApproval } from './approvals.ts'
import type { Refusal } from './refusal.ts'
import { isExpired, limitOf, type ReceivedTarget, signersOf, type Transaction } from './transaction.ts'
import { findLane, type Lane, type TransactionRules } from './transactionRules.ts'
import { checkTransfer, TRANSFER_MOTES } from './transfer.ts'

export interface TransactionCheck {
  chainName: string
  nowMs: number
  rules: TransactionRules
}

/**
 * Returns the lane of a transaction, or the reason for which a node rejects it without reading global state.
 *
 * Checks in the node's order, so that a transaction with several faults is rejected for the same reason.
 */
export function checkTransaction(transaction: Transaction, check: TransactionCheck): Refusal | Lane {
  const { rules, chainName, nowMs } = check
  const refusal = checkPricing(transaction, rules)
  if (refusal !== null) return refusal
  const lane = findLane(transaction, rules)
  if (lane === null) return 'noLane'
  if (transaction.chainName !== chainName) return 'chainName'
  return (
    checkPayment(transaction, rules) ??
    checkTime(transaction, check) ??
    checkSizes(transaction, rules, lane) ??
    checkTarget(transaction, rules) ??
    (isExpired(transaction, nowMs) ? 'expired' : null) ??
    lane
  )
}

function checkPricing({ pricing, payment }: Transaction, rules: TransactionRules): Refusal | null {
  if (pricing.kind === 'paymentLimited') {
    if (pricing.gasPriceTolerance < rules.minGasPrice) return 'gasPriceToleranceTooLow'
    return pricing.isStandardPayment ? null : 'pricingMode'
  }
  if (payment === 'withoutAmount') return 'missingPayment'
  if (payment === 'withBadAmount') return 'badPayment'
  return payment === 'standard' ? 'pricingMode' : 'paymentVariant'
}

function checkPayment({ pricing, args, target }: Transaction, rules: TransactionRules): Refusal | null {
  if (args === null || pricing.kind === 'other') return 'unspecified'
  const min = target.kind === 'transfer' ? TRANSFER_MOTES : rules.minPaymentMotes
  return pricing.paymentMotes < min ? 'unspecified' : null
}

function checkTime(transaction: Transaction, { rules, nowMs }: TransactionCheck): Refusal | null {
  if (transaction.hasDependencies) return 'dependencies'
  if (transaction.ttlMs > rules.maxTtlMs) return 'timeToLive'
  return isInFuture(transaction, rules, nowMs) ? 'timestampInFuture' : null
}

const isInFuture = ({ timestampMs }: Transaction, rules: TransactionRules, nowMs: number): boolean =>
  timestampMs > nowMs + rules.timestampLeewayMs

/** Returns whether a transaction has neither expired at a time nor a timestamp after it. */
export const isInTime = (transaction: Transaction, rules: TransactionRules, nowMs: number): boolean =>
  !isInFuture(transaction, rules, nowMs) && !isExpired(transaction, nowMs)

function checkSizes(transaction: Transaction, rules: TransactionRules, lane: Lane): Refusal | null {
  const { approvals, paymentArgumentBytes, argumentBytes, sizeBytes, version } = transaction
  if (approvals.length > rules.maxApprovals) return 'approvalsCount'
  if (limitOf(transaction) > rules.blockGasLimit) return 'blockGasLimit'
  if (sizeBytes > lane.maxTransactionBytes) return 'size'
  if (version === 'Deploy' && paymentArgumentBytes > rules.maxDeployPaymentArgumentBytes)
    return 'paymentArgumentsLength'
  return argumentBytes > lane.maxArgumentBytes ? 'argumentsLength' : null
}

function checkTarget(
  { target, hasFittingEntryPoint, args }: Transaction,
  { minTransferMotes }: TransactionRules,
): Refusal | null {
  if (target.kind === 'auction') return 'kind'
  if (!hasFittingEntryPoint) return 'entryPoint'
  if (target.kind === 'transfer') return checkTransfer(args ?? [], minTransferMotes)
  return target.kind === 'session' && target.wasm.length === 0 ? 'emptyModule' : null
}

/**
 * Returns the reason for which a node rejects a transaction of this account, or null. The reasons are only foreign
 * keys, too little weight, and a balance below the minimum payment.
 */
export function checkAccount(
  transaction: Transaction,
  account: Account,
  balanceMotes: bigint,
  minPaymentMotes: bigint,
): Refusal | null {
  const refusal = checkSigners(account, signersOf(transaction))
  if (refusal !== null) return refusal
  return balanceMotes < minPaymentMotes ? 'balance' : null
}

export type ReadValue = (key: Uint8Array) => StoredValue | null

/**
 * Returns the reason for which a node rejects a call of a stored contract, or null. Named keys and the newest version of a
 * package are not checked here: the node resolves them during execution.
 */
export function checkContract(
  target: ReceivedTarget,
  read: ReadValue,
  { protocolMajor }: Pick<TransactionRules, 'protocolMajor'>,
): Refusal | null {
  if (target.kind !== 'call') return null
  const { contract, entryPoint } = target
  if ('contractHash' in contract) return checkEntryPoint(contract.contractHash, entryPoint, read)
  if (!('packageHash' in contract)) return null
  const stored = read(hashKey(contract.packageHash))
  if (stored?.kind !== 'ContractPackage') return 'noPackage'
  const { version: contractVersion, protocolVersionMajor = protocolMajor } = contract
  if (contractVersion === null) return null
  return checkVersion(stored.contractPackage, { protocolVersionMajor, contractVersion }, entryPoint, read)
}

function checkVersion(
  contractPackage: ContractPackage,
  called: ContractVersionKey,
  entryPoint: string,
  read: ReadValue,
): Refusal | null {
  const version = contractPackage.versions.find((each) => compareVersions(each, called) === 0)
  if (version === undefined) return 'missingVersion'
  if (!isEnabled(contractPackage, version)) return 'disabledVersion'
  return checkEntryPoint(version.contractHash, entryPoint, read)
}

function checkEntryPoint(contractHash: Uint8Array, entryPoint: string, read: ReadValue): Refusal | null {
  const stored = read(hashKey(contractHash))
  if (stored?.kind !== 'Contract') return 'noContract'
  return stored.contract.entryPoints.has(entryPoint) ? null : 'noEntryPoint'
}

/** Returns the reason to reject a transaction's hashes or signatures, or null. This is the node's last check. */
export function verifyTransaction(transaction: Transaction): Refusal | null {
  const { approvals, hash } = transaction
  if (approvals.length === 0) return 'noApprovals'
  if (!transaction.hasValidBodyHash) return 'bodyHash'
  if (!transaction.hasValidHash) return 'hash'
  return approvals.every((approval) => isValidApproval(approval, hash)) ? null : 'approval'
}
