import { contractNames, type WiredContract, wiredContracts } from '../../registry/installation.ts'
import type { Program } from '../program.ts'
import type { DeploymentState } from './deploymentState.ts'
import { type Operation, resolvePackages } from './operation.ts'
import { wasmPaymentMotes } from './payments.ts'
import { reportDone, type StepReport } from './report.ts'
import { addDeploymentCommand, type DeploymentOptions, runDeployment } from './runDeployment.ts'
import { beginSteps, reportEarlier, runSteps } from './runSteps.ts'
import type { Step } from './step.ts'
import { wasmFolder } from './wasmFile.ts'
import { assertWirable, missingWires } from './wiring.ts'

const help = `
Sets the EligibilityGate of FeedRegistry and the FeedRegistry of AttestationRegistry, if missing or wrong.

Example:
  $ bun run contracts wire --dry-run`

export function addWire(program: Program): void {
  addDeploymentCommand(program, 'wire', 'set in each contract the address of the other', help).action(
    (options: DeploymentOptions) =>
      runDeployment(program, 'wire', options, { wasmFolder, wasmPayments: wasmPaymentMotes }, wire),
  )
}

/**
 * Wires the contracts: sets in each the address of the other, if it is missing or wrong.
 *
 * @throws {PreflightError | NoLaneError} before anything is sent; afterwards the errors of `sendTransaction`.
 */
export async function wire(operation: Operation): Promise<StepReport[]> {
  const begun = await beginSteps(operation, (account) => resolvePackages(operation, account, contractNames))
  const { resumed, state } = begun
  const missing = missingWires(state)
  const steps = missing.map(wireStep)
  const check = (step: Step, current: DeploymentState): void => {
    if (step.kind === 'wire') assertWirable(step.contract, current, operation.signer.accountHash)
  }
  for (const step of steps) check(step, state)
  const done = wiredContracts.filter((name) => !missing.includes(name) && resumed?.step.contract !== name)
  return [
    ...done.map((name) => reportDone(wireStep(name))),
    ...reportEarlier(begun),
    ...(await runSteps({ ...begun, operation, steps, check })),
  ]
}

const wireStep = (contract: WiredContract): Step => ({ kind: 'wire', contract })
