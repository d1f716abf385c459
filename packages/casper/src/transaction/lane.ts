import { defineError } from '@wattfeed/base'

/** The properties that determine a transaction's lane. */
export interface TransactionSize {
  paymentMotes: bigint
  argumentBytes: number
  transactionBytes: number
}

/** A transaction that fits no lane of the network. It was not sent. */
export const NoLaneError = defineError(
  'NoLaneError',
  'no_lane',
  (facts: { size: TransactionSize; rule: string }) => {
    const { paymentMotes, argumentBytes, transactionBytes } = facts.size
    return `no lane takes ${transactionBytes} bytes with ${argumentBytes} bytes of arguments and a payment of ${paymentMotes} motes: ${facts.rule}`
  },
)

interface Lane {
  maxPaymentMotes: bigint
  maxArgumentBytes: number
  maxTransactionBytes: number
}

/** The least payment that a node accepts for a call, in motes. */
export const MIN_PAYMENT_MOTES = 2_500_000_000n

// The chainspec's `transactions.v1` of the public networks at 2.2. A network of 2.0.3 takes 1,024 bytes of arguments and 262,144 in all in
// the third lane, and refuses more before it charges.
const callLanes: readonly Lane[] = [
  { maxPaymentMotes: 5_000_000_000n, maxArgumentBytes: 512, maxTransactionBytes: 65_536 },
  { maxPaymentMotes: 100_000_000_000n, maxArgumentBytes: 1_024, maxTransactionBytes: 131_072 },
  { maxPaymentMotes: 812_500_000_000n, maxArgumentBytes: 2_048, maxTransactionBytes: 750_000 },
]

// 812.5 CSPR is all the gas of a block.
const installLanes: readonly Lane[] = [
  { maxPaymentMotes: 812_500_000_000n, maxArgumentBytes: 2_048, maxTransactionBytes: 750_000 },
]

/**
 * @throws {NoLaneError} unless the network has a lane for a transaction of this size.
 *
 * @see the chainspec's `install_upgrade_lane` and `wasm_lanes`
 */
export function assertLane(kind: 'call' | 'install', size: TransactionSize): void {
  const lanes = kind === 'call' ? callLanes : installLanes
  if (size.paymentMotes < MIN_PAYMENT_MOTES)
    throw new NoLaneError({ size, rule: `the payment must be at least ${MIN_PAYMENT_MOTES} motes` })
  if (!lanes.some((lane) => fits(size, lane))) throw new NoLaneError({ size, rule: ruleOf(lanes) })
}

const fits = (size: TransactionSize, lane: Lane): boolean =>
  size.paymentMotes <= lane.maxPaymentMotes &&
  size.argumentBytes <= lane.maxArgumentBytes &&
  size.transactionBytes <= lane.maxTransactionBytes

const ruleOf = (lanes: readonly Lane[]): string =>
  lanes
    .map(
      (lane) =>
        `up to ${lane.maxPaymentMotes} motes with ${lane.maxArgumentBytes} bytes of arguments in ${lane.maxTransactionBytes} bytes`,
    )
    .join(', or ')
