import { contractNames, wiredContracts } from 'wattfeed/internal'
import type { Program } from '../program.ts'
import type { Operation } from './operation.ts'
import { wasmPaymentMotes } from './payments.ts'
import type { StepReport } from './report.ts'
import { resolvePackages } from './resolvePackages.ts'
import { addDeploymentCommand, type DeploymentOptions, runDeployment } from './runDeployment.ts'
import { runSteps } from './runSteps.ts'
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

/** Sets in each contract the address of the other, if it is missing or wrong. */
export const wire = (operation: Operation): Promise<StepReport[]> =>
  runSteps(operation, {
    steps: wiredContracts.map((contract) => ({ kind: 'wire', contract })),
    findContracts: (account) => resolvePackages(operation, account, contractNames),
    isDue: ({ contract }, state) => missingWires(state).some((missing) => missing === contract),
    check(step, { state }) {
      if (step.kind === 'wire') assertWirable(step.contract, state, operation.signer.accountHash)
    },
  })
