import type { Rpc } from '../../casper/rpc/rpc.ts'
import { PackageNotFoundError } from '../../odra/contract.ts'
import { type ContractName, contractNames } from '../../registry/installation.ts'
import type { ContractState } from './contractState.ts'
import {
  type DeploymentState,
  knownContracts,
  type PackageHashes,
  readDeploymentState,
} from './deploymentState.ts'
import { missingWires } from './wiring.ts'

/** What is on chain of one contract. */
export interface ContractStatus {
  contract: ContractName
  package_hash: string
  is_locked: boolean
  versions: { version: string; contract_hash: string; is_enabled: boolean }[]
  entry_points: string[]
  /** Owners, addresses and counts. */
  fields: Record<string, string | number | null>
}

/** What is on chain. */
export interface Status {
  state_root_hash: string
  contracts: ContractStatus[]
  /** Contracts of which no package hash is known. */
  unknown: ContractName[]
  /** Contracts that do not know the other one's address. */
  missing_wires: ContractName[]
  /** Whether all are there, and know each other. */
  is_complete: boolean
}

/**
 * Reads versions, owners, wiring and counts, all at one state root. The gate is the one that the FeedRegistry asks,
 * unless another one is named.
 *
 * Throws a `PackageNotFoundError` where there is no such contract.
 */
export async function readStatus(rpc: Rpc, hashes: PackageHashes): Promise<Status> {
  const state = await readWithGate(rpc, hashes)
  const known = knownContracts(state)
  const missing = missingWires(state)
  const unknown = contractNames.filter((name) => state[name] === null)
  return {
    state_root_hash: state.stateRootHash,
    contracts: known.map((each) => contractStatus(each, state)),
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
    // A gate of another kind is none that this reads.
    if (error instanceof PackageNotFoundError) return state
    throw error
  }
}

function contractStatus(
  { name, contractPackage, contract }: ContractState,
  state: DeploymentState,
): ContractStatus {
  return {
    contract: name,
    package_hash: contractPackage.packageHash,
    is_locked: contractPackage.isLocked,
    versions: contractPackage.versions.map(({ version, contractHash, isEnabled }) => ({
      version,
      contract_hash: contractHash,
      is_enabled: isEnabled,
    })),
    entry_points: [...contract.entryPoints].sort(),
    fields: fieldsOf(name, state),
  }
}

function fieldsOf(name: ContractName, state: DeploymentState): ContractStatus['fields'] {
  const { FeedRegistry: feeds, AttestationRegistry: attestations, EligibilityGate: gate } = state
  if (name === 'FeedRegistry' && feeds)
    return { owner: feeds.owner, eligibility_gate: feeds.eligibilityGate, feed_count: feeds.feedCount }
  if (name === 'AttestationRegistry' && attestations) {
    const { attester, feedRegistry, totalAttestations } = attestations
    return { attester, feed_registry: feedRegistry, total_attestations: totalAttestations }
  }
  return { owner: gate?.owner ?? null, roots: gate?.rootCount ?? 0, granted_count: gate?.grantedCount ?? 0 }
}
