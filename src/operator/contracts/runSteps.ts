import { type Account, assertBalance } from './account.ts'
import type { DeploymentState } from './deploymentState.ts'
import type { Operation } from './operation.ts'
import { reportExecuted, reportPlanned, type StepReport } from './report.ts'
import { runStep } from './runStep.ts'
import type { Step } from './step.ts'
import { assertStepLane } from './stepTransaction.ts'

/** What is checked again just before a step is signed. */
export type StepCheck = (step: Step, state: DeploymentState) => void | Promise<void>

export interface StepsRequest {
  operation: Operation
  steps: readonly Step[]
  account: Account
  state: DeploymentState
  check: StepCheck
}

/** Does steps one after another, after seeing that all of them can be paid for and fit the network; or says what they would be. */
export async function runSteps({
  operation,
  steps,
  account,
  state,
  check,
}: StepsRequest): Promise<StepReport[]> {
  const planned: StepReport[] = []
  let neededMotes = 0n
  for (const step of steps) {
    const paymentMotes = await assertStepLane(operation, step, state)
    neededMotes += paymentMotes
    planned.push(reportPlanned(step, paymentMotes))
  }
  assertBalance(account, neededMotes)
  if (operation.isDryRun) return planned
  const reports: StepReport[] = []
  for (const step of steps) {
    reports.push(reportExecuted(await runStep(operation, step, (current) => check(step, current))))
  }
  return reports
}
