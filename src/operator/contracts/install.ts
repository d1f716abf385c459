import {
  type ContractName,
  contractNames,
  packageKeyName,
  wiredContracts,
} from '../../registry/installation.ts'
import { type Account, PreflightError, readAccount } from '../pay.ts'
import type { Program } from '../program.ts'
import type { Deployment, PendingStep } from './deploymentFile.ts'
import type { DeploymentState } from './deploymentState.ts'
import { type Operation, readDeployedContract } from './operation.ts'
import { type WasmOptions, withWasm } from './options.ts'
import { wasmPaymentMotes } from './payments.ts'
import { reportDone, type StepReport } from './report.ts'
import { addDeploymentCommand, type DeploymentOptions, runDeployment } from './runDeployment.ts'
import { beginSteps, reportEarlier, runSteps } from './runSteps.ts'
import type { Step } from './step.ts'
import { assertWirable, missingWires } from './wiring.ts'

const help = `
Installs FeedRegistry, AttestationRegistry and EligibilityGate, upgradable, with the key's account as owner and
first-party attester, and sets each other's addresses. Contracts that the deployment file or the account's named keys
list are skipped. A transaction of an interrupted run is followed, not repeated.

Examples:
  $ bun run contracts install --dry-run
  $ CASPER_RPC_URL=http://127.0.0.1:11101/rpc CASPER_CHAIN_NAME=casper-devnet \\
    ATTESTER_KEY_PATH=keys/secret_key.pem bun run contracts install --json`

export function addInstall(program: Program): void {
  const command = addDeploymentCommand(program, 'install', 'install the contracts and wire them', help)
  withWasm(command, wasmPaymentMotes).action(
    ({ wasm: wasmFolder, payment: wasmPayments, ...options }: DeploymentOptions & WasmOptions) =>
      runDeployment(program, 'install', options, { wasmFolder, wasmPayments }, install),
  )
}

/**
 * Installs the contracts that are missing, then wires them: sets each other's addresses.
 *
 * @throws {PreflightError | WasmError | NoLaneError} before anything is sent; afterwards the errors of
 * `sendTransaction`.
 */
export async function install(operation: Operation): Promise<StepReport[]> {
  const begun = await beginSteps(operation, (...found) => adoptInstalled(operation, ...found))
  const { resumed, pending, state } = begun
  const steps = installSteps(state).filter((step) => !isSameStep(step, pending?.purpose.step))
  for (const step of steps) checkInstall(operation, step, state)
  const done = allSteps.filter(
    (step) => ![...steps, pending?.purpose.step, resumed?.step].some((each) => isSameStep(step, each)),
  )
  return [
    ...done.map(reportDone),
    ...reportEarlier(begun),
    ...(await runSteps({
      ...begun,
      operation,
      steps,
      check: (...now) => checkAgain(operation, ...now),
    })),
  ]
}

const allSteps: readonly Step[] = [
  ...contractNames.map((contract): Step => ({ kind: 'install', contract })),
  ...wiredContracts.map((contract): Step => ({ kind: 'wire', contract })),
]

function installSteps(state: DeploymentState): Step[] {
  const missing = new Set<string>(missingWires(state))
  return allSteps.filter(({ kind, contract }) =>
    kind === 'install' ? state[contract] === null : missing.has(contract),
  )
}

const isSameStep = (step: Step, other: Step | undefined): boolean =>
  step.kind === other?.kind && step.contract === other.contract

/** Adopts the packages under the account's named keys, which a run with another deployment file installed. */
async function adoptInstalled(
  operation: Operation,
  account: Account,
  pending: PendingStep | null,
): Promise<Deployment['contracts']> {
  const adopted = { ...operation.deployment.contracts }
  for (const name of contractNames) {
    const key = account.namedKeys.get(packageKeyName(name))
    if (adopted[name] === null && key !== undefined && !isInstallOf(name, pending?.purpose.step))
      adopted[name] = await readDeployedContract(operation.rpc, name, key.replace(/^hash-/, ''), null)
  }
  return adopted
}

const isInstallOf = (contract: ContractName, step: Step | undefined): boolean =>
  isSameStep({ kind: 'install', contract }, step)

function checkInstall({ signer }: Operation, step: Step, state: DeploymentState): void {
  if (step.kind === 'wire') assertWirable(step.contract, state, signer.accountHash)
}

async function checkAgain(operation: Operation, step: Step, state: DeploymentState): Promise<void> {
  checkInstall(operation, step, state)
  if (step.kind !== 'install') return
  const { namedKeys } = await readAccount(operation.rpc, operation.signer)
  if (namedKeys.has(packageKeyName(step.contract)))
    throw new PreflightError({
      reason: 'deployment_file',
      message: `another run has just installed ${packageKeyName(step.contract)}; run this command again to continue from there`,
    })
}
