import { assertLane, type TransactionRequest } from '@wattfeed/casper/transaction'
import { countArgumentBytes, plannedSize } from '@wattfeed/casper/types'

/** What a transaction is for, before it is created. */
export type PlannedTransaction = Pick<TransactionRequest, 'target' | 'args' | 'paymentMotes'>

/**
 * Asserts that a transaction will fit a lane, before it is created and its exact size is known.
 *
 * @param protocolVersion of the network; null for the newest lanes
 * @throws {NoLaneError}
 */
export function assertPlannedLane(
  { target, args, paymentMotes }: PlannedTransaction,
  protocolVersion: string | null,
): void {
  const argumentBytes = countArgumentBytes(args)
  const wasmBytes = 'wasm' in target ? target.wasm.length : 0
  const size = plannedSize({ paymentMotes, argumentBytes, wasmBytes })
  assertLane('wasm' in target ? 'install' : 'call', size, protocolVersion)
}
