import { signTransaction } from '../../casper/transaction/signTransaction.ts'
import type { PendingStep, SettledStep } from './deploymentFile.ts'
import { type DeploymentState, readDeploymentState } from './deploymentState.ts'
import { deployedHashes, type Operation, save } from './operation.ts'
import { settleStep } from './settleStep.ts'
import type { Step } from './step.ts'
import { createStepTransaction } from './stepTransaction.ts'

/**
 * Does one step: signs, writes down what is pending, sends, waits for the end.
 *
 * `check` sees the chain as it is just before.
 */
export async function runStep(
  operation: Operation,
  step: Step,
  check: (state: DeploymentState) => void | Promise<void>,
): Promise<SettledStep> {
  const state = await readDeploymentState(operation.rpc, deployedHashes(operation.deployment))
  await check(state)
  const pending = await sign(operation, step, state)
  await save(operation, { pending })
  operation.onProgress({ step, event: 'signed', transactionHash: pending.transaction_hash })
  return settleStep(operation, pending, { isSentBefore: false })
}

async function sign(operation: Operation, step: Step, state: DeploymentState): Promise<PendingStep> {
  const { signer, chainName, follow } = operation
  const { wasmSha256, ...request } = await createStepTransaction(operation, step, state)
  const timestamp = (follow.now ?? Date.now)()
  const signed = await signTransaction(signer, { ...request, chainName, timestamp })
  return {
    step,
    transaction_hash: signed.hash,
    expires_at: signed.expiresAt,
    payment_motes: request.paymentMotes.toString(),
    wasm_sha256: wasmSha256,
    transaction: signed.transaction,
  }
}
