import type { Chainspec } from '../chainspec.ts'
import { MAX_ASSOCIATED_KEYS } from '../engine/keyWeights.ts'
import { parseDuration } from './nodeReader.ts'
import { limitOf, type Transaction } from './transaction.ts'
import { TRANSFER_MOTES } from './transfer.ts'

/** The network's rules for transactions. */
export interface TransactionRules {
  readonly protocolMajor: number
  readonly maxTtlMs: number
  /** Maximum time by which a transaction's timestamp can be ahead of the node's clock. */
  readonly timestampLeewayMs: number
  readonly blockGasLimit: bigint
  readonly minPaymentMotes: bigint
  readonly minTransferMotes: bigint
  /** What a native transfer costs in motes; null if it costs what it pays, as before protocol 2.2. */
  readonly transferMotes: bigint | null
  readonly minGasPrice: number
  readonly maxApprovals: number
  readonly maxDeployPaymentArgumentBytes: number
  /** Refunded share of the unused payment: numerator and denominator. */
  readonly refundRatio: readonly [bigint, bigint]
  /** Whether fees are burned. Otherwise the proposer of the block receives them. */
  readonly burnsFees: boolean
  readonly nativeLane: Lane
  readonly installLane: Lane
  /** Lanes of other wasm, cheapest first. */
  readonly wasmLanes: readonly Lane[]
}

/** Not part of the recorded chainspec. A test keeps it equal to that of `casper/transaction`. */
const MIN_PAYMENT_MOTES = 2_500_000_000n

export function transactionRules({ protocol, transactions, vacancy, core }: Chainspec): TransactionRules {
  const [major, minor] = protocol.version
  const [numerator = 0, denominator = 1] = core.refund_handling.refund_ratio
  const { native_mint_lane, install_upgrade_lane, wasm_lanes } = transactions.v1
  return {
    protocolMajor: major,
    maxTtlMs: parseDuration(transactions.max_ttl),
    timestampLeewayMs: parseDuration(transactions.max_timestamp_leeway),
    blockGasLimit: BigInt(transactions.block_gas_limit),
    minPaymentMotes: MIN_PAYMENT_MOTES,
    minTransferMotes: BigInt(transactions.native_transfer_minimum_motes),
    transferMotes: major > 2 || minor >= 2 ? TRANSFER_MOTES : null,
    minGasPrice: vacancy.min_gas_price,
    maxApprovals: MAX_ASSOCIATED_KEYS,
    maxDeployPaymentArgumentBytes: transactions.deploy.payment_args_max_length,
    refundRatio: [BigInt(numerator), BigInt(denominator)],
    burnsFees: core.fee_handling.type === 'burn',
    nativeLane: parseLane(native_mint_lane),
    installLane: parseLane(install_upgrade_lane),
    wasmLanes: wasm_lanes.map(parseLane).sort((a, b) => (a.maxGas < b.maxGas ? -1 : 1)),
  }
}

/**
 * Parses a lane of the chainspec: its id, the maximum length of a transaction and of its arguments, the maximum gas, and the
 * number of transactions per block.
 */
function parseLane(figures: readonly number[]): Lane {
  const [id = 0, maxTransactionBytes = 0, maxArgumentBytes = 0, gas = 0, maxTransactionsPerBlock = 0] =
    figures
  return { id, maxTransactionBytes, maxArgumentBytes, maxGas: BigInt(gas), maxTransactionsPerBlock }
}

/** A lane: the part of a block for transactions of a certain size. */
export interface Lane {
  readonly id: number
  readonly maxTransactionBytes: number
  readonly maxArgumentBytes: number
  /** Maximum payment in motes. */
  readonly maxGas: bigint
  readonly maxTransactionsPerBlock: number
}

/**
 * Returns the lane of a transaction, or null if none fits. Installs and upgrades use the install lane, other wasm the
 * cheapest lane that fits. Auction calls have a lane too, although this chain rejects them.
 */
export function findLane(transaction: Transaction, rules: TransactionRules): Lane | null {
  const { target, version } = transaction
  if (target.kind === 'transfer' || target.kind === 'auction') return rules.nativeLane
  if (target.kind === 'session' && target.isInstallOrUpgrade && version === 'Version1')
    return limitOf(transaction) > rules.installLane.maxGas ? null : rules.installLane
  return rules.wasmLanes.find((lane) => fits(transaction, lane)) ?? null
}

function fits(transaction: Transaction, lane: Lane): boolean {
  if (limitOf(transaction) > lane.maxGas || transaction.sizeBytes > lane.maxTransactionBytes) return false
  return transaction.argumentBytes <= lane.maxArgumentBytes
}
