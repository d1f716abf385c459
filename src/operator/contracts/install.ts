import { type ContractName, contractNames, packageKeyName, wiredContracts } from 'wattfeed/internal'
import { type Account, PreflightError } from '../preflight.ts'
import type { Program } from '../program.ts'
import type { Deployment } from './deploymentFile.ts'
import type { Operation } from './operation.ts'
import { type WasmOptions, withWasm } from './options.ts'
import { wasmPaymentMotes } from './payments.ts'
import type { StepReport } from './report.ts'
import { installedHash, readDeployedContract } from './resolvePackages.ts'
import { addDeploymentCommand, type DeploymentOptions, runDeployment } from './runDeployment.ts'
import { runSteps } from './runSteps.ts'
import { isSameStep, type Step } from './step.ts'
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

/** Installs the contracts that are missing, then wires them: sets each other's addresses. */
export const install = (operation: Operation): Promise<StepReport[]> =>
  runSteps(operation, {
    steps: allSteps,
    findContracts: (...found) => adoptInstalled(operation, ...found),
    isDue: ({ kind, contract }, state) =>
      kind === 'install'
        ? state[contract] === null
        : missingWires(state).some((missing) => missing === contract),
    check(step, { state, account }) {
      if (step.kind === 'wire') assertWirable(step.contract, state, operation.signer.accountHash)
      else assertNotInstalled(step.contract, account)
    },
  })

const allSteps: readonly Step[] = [
  ...contractNames.map((contract): Step => ({ kind: 'install', contract })),
  ...wiredContracts.map((contract): Step => ({ kind: 'wire', contract })),
]

/** Adopts the packages under the account's named keys, which a run with another deployment file installed. */
async function adoptInstalled(
  operation: Operation,
  account: Account,
  pending: readonly Step[],
): Promise<Deployment['contracts']> {
  const adopted = { ...operation.deployment.contracts }
  for (const contract of contractNames) {
    const packageHash = installedHash(account.namedKeys, contract)
    const isPending = pending.some((step) => isSameStep(step, { kind: 'install', contract }))
    if (adopted[contract] === null && packageHash !== undefined && !isPending)
      adopted[contract] = await readDeployedContract(operation.rpc, contract, packageHash, null)
  }
  return adopted
}

function assertNotInstalled(contract: ContractName, { namedKeys }: Account): void {
  if (namedKeys.has(packageKeyName(contract)))
    throw new PreflightError({
      reason: 'deployment_file',
      message: `another run has just installed ${packageKeyName(contract)}; run this command again to continue from there`,
    })
}
