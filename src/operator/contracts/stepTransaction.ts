import { assertLane } from '@wattfeed/casper/transaction'
import { installArguments, upgradeArguments, wiringArguments, wiringCalls } from 'wattfeed/internal'
import { assertPlannedLane, type PlannedTransaction } from '../assertPlannedLane.ts'
import { type DeploymentState, installedPackage } from './deploymentState.ts'
import type { Operation } from './operation.ts'
import type { Step } from './step.ts'
import { readWasm } from './wasmFile.ts'

interface StepTransaction extends PlannedTransaction {
  /** Hex; null if no wasm is sent. */
  wasmSha256: string | null
}

/** @param state of the contracts when the transaction is signed. @throws {PreflightError} if one of them is missing */
export async function createStepTransaction(
  { wasmFolder, payments, signer }: Operation,
  step: Step,
  state: DeploymentState,
): Promise<StepTransaction> {
  if (step.kind === 'wire') {
    const { entryPoint, of } = wiringCalls[step.contract]
    const target = { packageHash: installedPackage(state, step.contract).packageHash, entryPoint }
    const args = wiringArguments(step.contract, installedPackage(state, of).packageHash)
    return { target, args, paymentMotes: payments.call, wasmSha256: null }
  }
  const { bytes, sha256 } = await readWasm(wasmFolder, step.contract)
  const args =
    step.kind === 'upgrade'
      ? upgradeArguments(step.contract, installedPackage(state, step.contract))
      : installArguments(step.contract, signer.accountHash)
  return { target: { wasm: bytes }, args, paymentMotes: payments.wasm[step.contract], wasmSha256: sha256 }
}

/**
 * Returns what a step pays, in motes, before the steps ahead of it are sent.
 *
 * @throws {NoLaneError} if it fits no lane. Only wasm can be too large: a call has one address as its argument.
 */
export async function planPayment(operation: Operation, step: Step, state: DeploymentState): Promise<bigint> {
  const { payments } = operation
  if (step.kind === 'wire') {
    // Its address is not known while the other contract is not installed.
    assertLane('call', { paymentMotes: payments.call, argumentBytes: 0, transactionBytes: 0 })
    return payments.call
  }
  const transaction = await createStepTransaction(operation, step, state)
  // For wasm, and for a call with one address, the lanes of all protocols are the same.
  assertPlannedLane(transaction, null)
  return transaction.paymentMotes
}
