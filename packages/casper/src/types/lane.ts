import { defineError } from '@wattfeed/base'

/** The properties that determine a transaction's lane. */
export interface TransactionSize {
  paymentMotes: bigint
  argumentBytes: number
  transactionBytes: number
}

/**
 * A transaction that fits no lane of the network. It was not sent.
 *
 * @example
 * ```ts
 * import { createContractProof, NoLaneError } from 'wattfeed/series'
 *
 * const url = 'http://localhost:4030/v1/series/proof?route=electricity/retail-sales&frequency=monthly&column=price'
 * const answer = await fetch(`${url}&facet.stateid=CA&facet.sectorid=COM&period=2026-08`)
 * try {
 *   createContractProof(await answer.json(), { paymentMotes: 1_000_000_000n })
 * } catch (error) {
 *   if (!(error instanceof NoLaneError)) throw error
 *   console.warn(error.rule)
 * }
 * ```
 */
export const NoLaneError = defineError(
  'NoLaneError',
  'no_lane',
  (facts: { size: TransactionSize; rule: string }) => {
    const { paymentMotes, argumentBytes, transactionBytes } = facts.size
    return `no lane takes ${transactionBytes} bytes with ${argumentBytes} bytes of arguments and a payment of ${paymentMotes} motes: ${facts.rule}`
  },
)

/** A lane of the public networks: a transaction takes the first that fits. */
export interface Lane {
  /** Maximum payment, in motes. */
  maxPaymentMotes: bigint
  /** Maximum size of the arguments. */
  maxArgumentBytes: number
  /** Maximum size of the whole transaction. */
  maxTransactionBytes: number
  /** How many transactions of the lane a block takes. */
  transactionsPerBlock: number
}

/** The least payment that a node accepts for a call, in motes. */
export const MIN_PAYMENT_MOTES = 2_500_000_000n

interface Lanes {
  /** The first protocol that has them. */
  since: readonly [major: number, minor: number]
  calls: readonly Lane[]
  installs: readonly Lane[]
}

const cheapLanes: readonly Lane[] = [
  {
    maxPaymentMotes: 5_000_000_000n,
    maxArgumentBytes: 512,
    maxTransactionBytes: 65_536,
    transactionsPerBlock: 40,
  },
  {
    maxPaymentMotes: 100_000_000_000n,
    maxArgumentBytes: 1_024,
    maxTransactionBytes: 131_072,
    transactionsPerBlock: 2,
  },
]

/** 2.2 halved the gas of a block to 812.5 CSPR. A transaction that needs more is a mistake under earlier protocols, too. */
const MAX_PAYMENT_MOTES = 812_500_000_000n

const largeLane = (maxArgumentBytes: number, maxTransactionBytes: number): Lane => ({
  maxPaymentMotes: MAX_PAYMENT_MOTES,
  maxArgumentBytes,
  maxTransactionBytes,
  transactionsPerBlock: 1,
})

const newestLanes: Lanes = {
  since: [2, 2],
  calls: [...cheapLanes, largeLane(2_048, 750_000)],
  installs: [largeLane(2_048, 750_000)],
}

/** The chainspecs' `transactions.v1` of the public networks, newest first. The last one stands for all earlier protocols. */
const lanesByProtocol: readonly Lanes[] = [
  newestLanes,
  { since: [2, 0], calls: [...cheapLanes, largeLane(1_024, 262_144)], installs: [largeLane(2_048, 750_000)] },
]

/** @param version such as `2.2.2`; null takes the newest lanes */
function lanesOf(version: string | null): Lanes {
  if (version === null) return newestLanes
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isSince = ({ since }: Lanes): boolean => major > since[0] || (major === since[0] && minor >= since[1])
  return lanesByProtocol.find(isSince) ?? lanesByProtocol.at(-1) ?? newestLanes
}

/**
 * @param protocolVersion of the network, as a node's status says it. @default the newest that is known
 *
 * @throws {NoLaneError} unless the network has a lane for a transaction of this size.
 *
 * @see the chainspec's `install_upgrade_lane` and `wasm_lanes`
 */
export function assertLane(
  kind: 'call' | 'install',
  size: TransactionSize,
  protocolVersion: string | null = null,
): void {
  laneOf(kind, size, protocolVersion)
}

/** An upper bound of a transaction's size without its code and arguments. */
const ENVELOPE_BYTES = 1_000

/** Returns an upper bound of the size of a transaction that is not created yet. */
export const plannedSize = ({
  paymentMotes,
  argumentBytes,
  wasmBytes = 0,
}: Pick<TransactionSize, 'paymentMotes' | 'argumentBytes'> & { wasmBytes?: number }): TransactionSize => ({
  paymentMotes,
  argumentBytes,
  transactionBytes: ENVELOPE_BYTES + argumentBytes + wasmBytes,
})

/** Returns the lane of a transaction of this size, as {@link assertLane} finds it. @throws {NoLaneError} */
export function laneOf(
  kind: 'call' | 'install',
  size: TransactionSize,
  protocolVersion: string | null = null,
): Lane {
  const { calls, installs } = lanesOf(protocolVersion)
  const lanes = kind === 'call' ? calls : installs
  if (size.paymentMotes < MIN_PAYMENT_MOTES)
    throw new NoLaneError({ size, rule: `the payment must be at least ${MIN_PAYMENT_MOTES} motes` })
  const lane = lanes.find((each) => fits(size, each))
  if (lane === undefined) throw new NoLaneError({ size, rule: ruleOf(lanes) })
  return lane
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
