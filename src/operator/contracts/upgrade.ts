import { accessKeyName, type ContractName, contractNames } from 'wattfeed/internal'
import { type Account, PreflightError } from '../preflight.ts'
import type { Program } from '../program.ts'
import type { ContractPackage } from './contractState.ts'
import { type DeploymentState, installedPackage } from './deploymentState.ts'
import type { Operation } from './operation.ts'
import { parseContract, type WasmOptions, withWasm } from './options.ts'
import { upgradePaymentMotes } from './payments.ts'
import type { StepReport } from './report.ts'
import { resolvePackages } from './resolvePackages.ts'
import { addDeploymentCommand, type DeploymentOptions, runDeployment } from './runDeployment.ts'
import { runSteps, type StepContext } from './runSteps.ts'
import { readWasm } from './wasmFile.ts'
import { assertOffersSeed } from './wiring.ts'

const help = `
Puts the built wasm into the packages as their newest versions: FeedRegistry, then AttestationRegistry, then
EligibilityGate. All data stays; the old versions are disabled. Contracts that already have this wasm are skipped.

Examples:
  $ bun run contracts upgrade --dry-run
  $ bun run contracts upgrade --only FeedRegistry --only AttestationRegistry`

interface UpgradeOptions extends DeploymentOptions, WasmOptions {
  only?: readonly ContractName[]
}

export function addUpgrade(program: Program): void {
  const command = addDeploymentCommand(program, 'upgrade', 'upgrade the contracts to the built wasm', help)
  withWasm(command, upgradePaymentMotes)
    .option('--only <contract>', 'upgrade this one; can be repeated', parseContract)
    .action(({ wasm, payment, only = contractNames, ...options }: UpgradeOptions) => {
      const names = contractNames.filter((name) => only.includes(name))
      const parts = { wasmFolder: wasm, wasmPayments: payment }
      return runDeployment(program, 'upgrade', options, parts, (operation) => upgrade(operation, names))
    })
}

/**
 * Upgrades the packages to the built wasm, in the order that the contracts require; all data stays. Skips contracts that
 * already have this wasm.
 */
export const upgrade = (operation: Operation, names: readonly ContractName[]): Promise<StepReport[]> =>
  runSteps(operation, {
    steps: names.map((contract) => ({ kind: 'upgrade', contract })),
    findContracts: (account) => resolvePackages(operation, account, names),
    isDue: ({ contract }, state) => isOld(operation, contract, state),
    check: ({ contract }, now) => checkUpgrade(contract, now),
  })

async function isOld(
  { deployment: { contracts }, wasmFolder }: Operation,
  name: ContractName,
  state: DeploymentState,
): Promise<boolean> {
  const { sha256 } = await readWasm(wasmFolder, name)
  const deployed = contracts[name]
  return deployed?.wasm_sha256 !== sha256 || deployed.contract_hash !== state[name]?.contractHash
}

function checkUpgrade(name: ContractName, { state, account, before }: StepContext): void {
  const contractPackage = installedPackage(state, name)
  if (contractPackage.isLocked)
    throw new PreflightError({
      reason: 'locked',
      message: `the package of ${name} is locked: no one can upgrade it; upgrade the others with --only`,
    })
  assertAccess(name, contractPackage, account)
  const isAfterFeeds = before.some(({ contract }) => contract === 'FeedRegistry')
  if (name === 'AttestationRegistry' && !isAfterFeeds) assertAsksOwnFeeds(state)
}

/** Strips a URef's access rights, which differ by holder. */
const addressOfUref = (uref: string): string => uref.slice(0, 'uref-'.length + 64)

function assertAccess(name: ContractName, { accessUref }: ContractPackage, { namedKeys }: Account): void {
  const held = namedKeys.get(accessKeyName(name))
  if (held === undefined || addressOfUref(held) !== addressOfUref(accessUref))
    throw new PreflightError({
      reason: 'no_access',
      message: `the key's account may not upgrade ${name}: its named key ${accessKeyName(name)} ${held === undefined ? 'is missing' : 'belongs to another package'}; use the key that installed it`,
    })
}

/** Upgrading the AttestationRegistry makes it read the seed of the FeedRegistry that it is wired to. */
function assertAsksOwnFeeds(state: DeploymentState): void {
  const known = state.AttestationRegistry?.feedRegistry
  if (known === null || known === undefined) return
  const own = state.FeedRegistry?.contractPackage.packageHash
  if (known !== `hash-${own}`)
    throw new PreflightError({
      reason: 'old_version',
      message: `AttestationRegistry reads the claimants from ${known}, not from the FeedRegistry of this deployment; run wire first`,
    })
  assertOffersSeed(state)
}
