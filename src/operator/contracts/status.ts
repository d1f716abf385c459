import { PackageNotFoundError, type Rpc } from '@wattfeed/casper'
import { type ContractName, contractNames } from 'wattfeed/internal'
import { exitCodeOf } from '../exitCode.ts'
import { openRpc } from '../open.ts'
import { PreflightError } from '../preflight.ts'
import type { JsonOption, Program } from '../program.ts'
import {
  type ContractsSettings,
  contractsSettings,
  packageHashesOf,
  packageHashSetting,
  readSettings,
} from '../settings.ts'
import { stateSeedOf } from './contractState.ts'
import { deployedHashes, readDeployment } from './deploymentFile.ts'
import {
  type DeploymentState,
  type KnownContract,
  knownContracts,
  type PackageHashes,
  publicHashes,
  readDeploymentState,
} from './deploymentState.ts'
import { deploymentPath, fileOption } from './runDeployment.ts'
import { missingWires } from './wiring.ts'

const help = `
Shows versions, owners, wiring, counts, and the seeds for direct reads at one state root. Needs no key.

Examples:
  $ bun run contracts status
  $ bun run contracts status --json | jq .is_complete`

export function addStatus(program: Program): void {
  program
    .add('status', 'show the contracts on chain', help)
    .option(...fileOption)
    .action(({ json, file }: JsonOption & { file?: string }) => {
      const exitCode = (error: unknown): number => exitCodeOf(error, false)
      return program.terminal.run({ name: 'status', json, exitCodeOf: exitCode }, async () => {
        const settings = readSettings(program, contractsSettings)
        const found = await readStatus(openRpc(settings), await statusHashes(settings, file))
        const { casperChainName: chainName } = settings
        return { report: { chain_name: chainName, ...found }, text: formatStatus(chainName, found) }
      })
    })
}

export interface ContractStatus {
  contract: ContractName
  package_hash: string
  /** Seed of the dictionary with its fields, for contracts that read it without a call. */
  state_seed: string
  is_locked: boolean
  versions: { version: string; contract_hash: string; is_enabled: boolean }[]
  entry_points: string[]
  fields: Record<string, string | number | null>
}

export interface Status {
  state_root_hash: string
  contracts: ContractStatus[]
  /** Contracts whose package hash is unknown. */
  unknown: ContractName[]
  /** Contracts that lack the right address of another one. */
  missing_wires: ContractName[]
  is_complete: boolean
}

/**
 * Reads versions, seeds, owners, wiring and counts at one state root. The gate defaults to the FeedRegistry's.
 *
 * @throws {PackageNotFoundError} if a contract does not exist.
 */
export async function readStatus(rpc: Rpc, hashes: PackageHashes): Promise<Status> {
  const state = await readWithGate(rpc, hashes)
  const missing = missingWires(state)
  const unknown = contractNames.filter((name) => state[name] === null)
  return {
    state_root_hash: state.stateRootHash,
    contracts: knownContracts(state).map(contractStatus),
    unknown,
    missing_wires: missing,
    is_complete: unknown.length === 0 && missing.length === 0,
  }
}

async function readWithGate(rpc: Rpc, hashes: PackageHashes): Promise<DeploymentState> {
  const state = await readDeploymentState(rpc, hashes)
  const gate = state.FeedRegistry?.eligibilityGate?.replace(/^hash-/, '')
  if (state.EligibilityGate !== null || gate === undefined) return state
  try {
    return await readDeploymentState(rpc, { ...hashes, EligibilityGate: gate })
  } catch (error) {
    // Another kind of gate, whose fields are unknown.
    if (error instanceof PackageNotFoundError) return state
    throw error
  }
}

function contractStatus(known: KnownContract): ContractStatus {
  const { name, contractPackage, contract } = known
  return {
    contract: name,
    package_hash: contractPackage.packageHash,
    state_seed: stateSeedOf(known),
    is_locked: contractPackage.isLocked,
    versions: contractPackage.versions.map(({ version, contractHash, isEnabled }) => ({
      version,
      contract_hash: contractHash,
      is_enabled: isEnabled,
    })),
    entry_points: [...contract.entryPoints].sort(),
    fields: fieldsOf(known),
  }
}

function fieldsOf(known: KnownContract): ContractStatus['fields'] {
  switch (known.name) {
    case 'FeedRegistry':
      return { owner: known.owner, eligibility_gate: known.eligibilityGate, feed_count: known.feedCount }
    case 'AttestationRegistry': {
      const { attester, feedRegistry, totalAttestations } = known
      return { attester, feed_registry: feedRegistry, total_attestations: totalAttestations }
    }
    case 'EligibilityGate':
      return { owner: known.owner, roots: known.rootCount, granted_count: known.grantedCount }
  }
}

export function formatStatus(chainName: string, status: Status): string {
  const { state_root_hash, contracts, unknown, missing_wires, is_complete } = status
  const runWire = missing_wires.length > 0 ? ` (${missing_wires.join(', ')}: run wire)` : ''
  return [
    `${chainName} at state root ${state_root_hash}`,
    ...contracts.map(formatContract),
    ...unknown.map((name) => `${name}\n  not known`),
    `wiring: ${is_complete ? 'complete' : 'not complete'}${runWire}`,
  ].join('\n')
}

function formatContract(status: ContractStatus): string {
  const { contract, package_hash, state_seed, is_locked, versions, entry_points, fields } = status
  return [
    contract,
    `  package ${package_hash}${is_locked ? ', locked: cannot be upgraded' : ''}`,
    `  state seed ${state_seed}`,
    ...versions.map(
      ({ version, contract_hash, is_enabled }) =>
        `  version ${version} ${is_enabled ? 'enabled' : 'disabled'} ${contract_hash}`,
    ),
    ...Object.entries(fields).map(([name, value]) => `  ${name} ${value ?? 'not set'}`),
    `  entry points ${entry_points.join(', ')}`,
  ].join('\n')
}

/**
 * Returns the contracts to show: from the settings, else the deployment file, else the public test network.
 *
 * @throws {PreflightError} if none is known.
 */
async function statusHashes(settings: ContractsSettings, file?: string): Promise<PackageHashes> {
  const deployment = await readDeployment(deploymentPath(settings, file))
  const chainName = settings.casperChainName
  const given = packageHashesOf(settings)
  const known = deployment?.chain_name === chainName ? deployedHashes(deployment) : publicHashes(chainName)
  const hashes = {
    FeedRegistry: given.FeedRegistry ?? known.FeedRegistry,
    AttestationRegistry: given.AttestationRegistry ?? known.AttestationRegistry,
    EligibilityGate: given.EligibilityGate ?? known.EligibilityGate,
  }
  if (Object.values(hashes).some((each) => each !== null)) return hashes
  throw new PreflightError({
    reason: 'not_installed',
    message: `no contract on ${chainName} is known: set ${Object.values(packageHashSetting).join(', ')} or name a deployment file with --file`,
  })
}
