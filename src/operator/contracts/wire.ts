import { readAccount } from './account.ts'
import { contractNames } from './contractName.ts'
import { type DeploymentState, readDeploymentState } from './deploymentState.ts'
import { deployedHashes, type Operation, resolvePackages, save } from './operation.ts'
import { reportDone, reportExecuted, reportPending, type StepReport } from './report.ts'
import { resumePending, runSteps } from './runSteps.ts'
import type { Step } from './steps.ts'
import { assertWirable, missingWires, type WiredContract, wiredContracts } from './wiring.ts'

/**
 * Tells the contracts each other's addresses where they do not know them.
 *
 * Throws a `PreflightError` or `NoLaneError` before anything is sent, and what `sendTransaction` throws.
 */
export async function wire(operation: Operation): Promise<StepReport[]> {
  const resumed = await resumePending(operation)
  const account = await readAccount(operation.rpc, operation.signer)
  await save(operation, { contracts: await resolvePackages(operation, account, contractNames) })
  const { pending } = operation.deployment
  const state = await readDeploymentState(operation.rpc, deployedHashes(operation.deployment))
  const missing = missingWires(state)
  const steps = missing.map(wireStep)
  const check = (step: Step, current: DeploymentState): void => {
    if (step.kind === 'wire') assertWirable(step.contract, current, operation.signer.accountHash)
  }
  for (const step of steps) check(step, state)
  const done = wiredContracts.filter((name) => !missing.includes(name) && resumed?.step.contract !== name)
  return [
    ...done.map((name) => reportDone(wireStep(name))),
    ...(resumed ? [reportExecuted(resumed)] : []),
    ...(pending ? [reportPending(pending.step, pending.transaction_hash)] : []),
    ...(await runSteps({ operation, steps, account, state, check })),
  ]
}

const wireStep = (contract: WiredContract): Step => ({ kind: 'wire', contract })
