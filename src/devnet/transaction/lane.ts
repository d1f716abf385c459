import type { Transaction } from './transaction.ts'
import type { TransactionRules } from './transactionRules.ts'

/** Where a block has room for transactions of a size. */
export interface Lane {
  readonly id: number
  readonly maxTransactionBytes: number
  readonly maxArgumentBytes: number
  /** The highest payment, in motes. */
  readonly maxGas: bigint
  readonly maxTransactionsPerBlock: number
}

/**
 * The lane of a transaction: that of installs for what says that it installs, else the cheapest that it fits.
 *
 * Null where there is none. A native transaction has a lane of its own, which nothing here asks for.
 */
export function findLane(transaction: Transaction, rules: TransactionRules): Lane | null {
  const { target, version, pricing } = transaction
  if (target.kind === 'native') return rules.nativeLane
  if (target.kind === 'session' && target.isInstallOrUpgrade && version === 'Version1')
    return pricing.kind === 'paymentLimited' && pricing.paymentMotes > rules.installLane.maxGas
      ? null
      : rules.installLane
  return rules.wasmLanes.find((lane) => fits(transaction, lane)) ?? null
}

function fits({ pricing, argumentBytes, sizeBytes }: Transaction, lane: Lane): boolean {
  const payment = pricing.kind === 'paymentLimited' ? pricing.paymentMotes : 0n
  return (
    payment <= lane.maxGas && argumentBytes <= lane.maxArgumentBytes && sizeBytes <= lane.maxTransactionBytes
  )
}
