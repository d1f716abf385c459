import { type Cursor, encodeHex } from '@wattfeed/base'
import { getStateRootHash, type Rpc, readAddress, readNumber } from '@wattfeed/casper'
import { casperTest } from 'wattfeed'
import {
  attestationRegistryFields,
  type ContractName,
  contractNames,
  eligibilityGateFields,
  feedRegistryFields,
} from 'wattfeed/internal'
import { PreflightError } from '../preflight.ts'
import { type ContractPackage, type ContractState, readContractState } from './contractState.ts'

/** Package hashes, 64 hex digits; null if unknown. */
export type PackageHashes = Readonly<Record<ContractName, string | null>>

/** The contracts of a public network that wattfeed knows. */
export function publicHashes(chainName: string): PackageHashes {
  const isPublic = chainName === casperTest.chainName
  return {
    FeedRegistry: isPublic ? casperTest.feedRegistryPackageHash : null,
    AttestationRegistry: isPublic ? casperTest.attestationRegistryPackageHash : null,
    EligibilityGate: null,
  }
}

export interface FeedRegistryState extends ContractState {
  name: 'FeedRegistry'
  owner: string | null
  feedCount: number
  /** `hash-…`; null if not set. */
  eligibilityGate: string | null
}

export interface AttestationRegistryState extends ContractState {
  name: 'AttestationRegistry'
  attester: string | null
  totalAttestations: number
  /** `hash-…`; null if not set. */
  feedRegistry: string | null
  /** Hex of the FeedRegistry's `state` URef when the two were wired; null in old versions. */
  feedRegistrySeed: string | null
}

export interface EligibilityGateState extends ContractState {
  name: 'EligibilityGate'
  owner: string | null
  rootCount: number
  grantedCount: number
}

/** The contracts at one state root; null if a package hash is unknown. */
export interface DeploymentState {
  stateRootHash: string
  FeedRegistry: FeedRegistryState | null
  AttestationRegistry: AttestationRegistryState | null
  EligibilityGate: EligibilityGateState | null
}

export async function readDeploymentState(rpc: Rpc, hashes: PackageHashes): Promise<DeploymentState> {
  const { hash: stateRootHash } = await getStateRootHash(rpc)
  const read = async <T>(name: ContractName, readFields: (state: ContractState) => Promise<T>) => {
    const packageHash = hashes[name]
    if (packageHash === null) return null
    return readFields(await readContractState(rpc, name, packageHash, stateRootHash))
  }
  const [feeds, attestations, gate] = await Promise.all([
    read('FeedRegistry', readFeedRegistry),
    read('AttestationRegistry', readAttestationRegistry),
    read('EligibilityGate', readEligibilityGate),
  ])
  return { stateRootHash, FeedRegistry: feeds, AttestationRegistry: attestations, EligibilityGate: gate }
}

/** @throws {PreflightError} if the contract is not installed. */
export function installedPackage(state: DeploymentState, name: ContractName): ContractPackage {
  const known = state[name]
  if (known !== null) return known.contractPackage
  throw new PreflightError({
    reason: 'not_installed',
    message: `${name} is not installed; run install first`,
  })
}

export type KnownContract = NonNullable<DeploymentState[ContractName]>

export function knownContracts(state: DeploymentState): KnownContract[] {
  return contractNames.map((name) => state[name]).filter((each) => each !== null)
}

// A contract stores a counter when it first counts, so null is 0.
async function readFeedRegistry(state: ContractState): Promise<FeedRegistryState> {
  const field = feedRegistryFields
  const [owner, feedCount, eligibilityGate] = await Promise.all([
    state.read(field.owner, 'owner', readAddress),
    state.read(field.count, 'count', readNumber),
    state.read(field.eligibility_gate, 'eligibility_gate', readAddress),
  ])
  return { ...state, name: 'FeedRegistry', owner, feedCount: feedCount ?? 0, eligibilityGate }
}

async function readAttestationRegistry(state: ContractState): Promise<AttestationRegistryState> {
  const field = attestationRegistryFields
  const [attester, total, feedRegistry, feedRegistrySeed] = await Promise.all([
    state.read(field.attester, 'attester', readAddress),
    state.read(field.total, 'total', readNumber),
    state.read(field.feed_registry, 'feed_registry', readAddress),
    state.read(field.feed_registry_seed, 'feed_registry_seed', readSeed),
  ])
  return {
    ...state,
    name: 'AttestationRegistry',
    attester,
    totalAttestations: total ?? 0,
    feedRegistry,
    feedRegistrySeed,
  }
}

async function readEligibilityGate(state: ContractState): Promise<EligibilityGateState> {
  const field = eligibilityGateFields
  const [owner, roots, granted] = await Promise.all([
    state.read(field.owner, 'owner', readAddress),
    state.read(field.roots, 'roots', readRoots),
    state.read(field.granted, 'granted', readNumber),
  ])
  return {
    ...state,
    name: 'EligibilityGate',
    owner,
    rootCount: roots?.length ?? 0,
    grantedCount: granted ?? 0,
  }
}

/** An `Option<[u8; 32]>`. */
const readSeed = (cursor: Cursor): string | null => (cursor.u8() === 0 ? null : encodeHex(cursor.bytes(32)))

const U256_BYTES = 32

/** Reads the roots of a gate, oldest first. */
export const readRoots = (cursor: Cursor): bigint[] =>
  Array.from({ length: cursor.u32() }, () => cursor.bigUint(U256_BYTES))
