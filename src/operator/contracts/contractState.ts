import { type Cursor, DecodeError } from '@wattfeed/base'
import {
  absentAsNull,
  createGlobalState,
  type OdraContract,
  PackageNotFoundError,
  type Rpc,
  readField,
  readOdraContract,
} from '@wattfeed/casper'
import {
  isEntityReference,
  isRecord,
  listPackageVersions,
  newestEnabled,
  type PackageVersion,
  packageList,
} from '@wattfeed/casper/types'
import { ownEntryPoints } from 'wattfeed/internal'
import { PreflightError } from '../preflight.ts'

export interface ContractPackage {
  /** 64 hex digits. */
  packageHash: string
  /** `uref-…-007`: its holder may upgrade. */
  accessUref: string
  isLocked: boolean
  groups: readonly string[]
  /** Oldest first. */
  versions: readonly PackageVersion[]
}

/**
 * Returns a package; null if the chain has none of this hash.
 *
 * @throws {PreflightError} if its versions are addressable entities, which Odra 2.9.1 cannot upgrade.
 */
export async function getContractPackage(
  rpc: Rpc,
  packageHash: string,
  stateRootHash: string,
): Promise<ContractPackage | null> {
  const query = <T>(kind: string, decode: (stored: unknown) => T): Promise<T | null> =>
    createGlobalState(rpc).query({
      stateRootHash,
      key: `${kind}-${packageHash}`,
      decode,
      absent: absentAsNull,
    })
  const found = await query('hash', (stored) =>
    isEntityReference(stored) ? null : readPackage(packageHash, stored),
  )
  if (found !== null) return found
  if ((await query('package', () => true)) === null) return null
  throw new PreflightError({
    reason: 'entity',
    message: `the chain stores the versions of hash-${packageHash} as addressable entities, which Odra 2.9.1 cannot upgrade; calls and reads work`,
  })
}

function readPackage(packageHash: string, stored: unknown): ContractPackage {
  const value = isRecord(stored) ? stored.ContractPackage : undefined
  if (!isRecord(value) || typeof value.access_key !== 'string') throw broken('expected a contract package')
  const versions = listPackageVersions(stored)
  const groups = packageList(value.groups).map(groupName)
  const isLocked = value.lock_status !== 'Unlocked'
  return { packageHash, accessUref: value.access_key, isLocked, groups, versions }
}

const broken = (rule: string): DecodeError => new DecodeError('ContractPackage', rule)

function groupName(value: unknown): string {
  if (isRecord(value) && typeof value.group_name === 'string') return value.group_name
  throw broken('a group has no name')
}

/** Contracts whose fields are read here. */
type ReadContract = keyof typeof ownEntryPoints

export interface ContractState {
  name: ReadContract
  contractPackage: ContractPackage
  /** 64 hex digits of the newest enabled version. */
  contractHash: string
  contract: OdraContract
  /** Reads a field by its number, or an entry of a mapping by its key; null if nothing is stored. Errors name `what`. */
  read<T>(field: number, what: string, decode: (cursor: Cursor) => T, key?: Uint8Array): Promise<T | null>
}

/** The address of a contract's `state` URef, 64 hex digits: another contract can read its fields with it. */
export const stateSeedOf = ({ contract }: ContractState): string =>
  contract.stateUref.slice('uref-'.length, -'-007'.length)

/**
 * Reads a package and its newest enabled version.
 *
 * @throws {PackageNotFoundError} if there is no package or enabled version, or it is another contract.
 */
export async function readContractState(
  rpc: Rpc,
  name: ReadContract,
  packageHash: string,
  stateRootHash: string,
): Promise<ContractState> {
  const missing = (rule: string) => new PackageNotFoundError(name, packageHash, rule)
  const state = createGlobalState(rpc)
  const contractPackage = await getContractPackage(rpc, packageHash, stateRootHash)
  if (contractPackage === null) throw missing('no contract package')
  const newest = newestEnabled(contractPackage.versions)
  if (newest === null) throw missing('no enabled version')
  const key = `hash-${newest.contractHash}`
  const contract = await readOdraContract(state, name, key, stateRootHash)
  if (!contract?.entryPoints.has(ownEntryPoints[name]))
    throw missing(`no contract with the entry point "${ownEntryPoints[name]}"`)
  return {
    name,
    contractPackage,
    contractHash: newest.contractHash,
    contract,
    read: (field, what, decode, key) =>
      readField(state, {
        stateRootHash,
        stateUref: contract.stateUref,
        field,
        key,
        what: `${name}.${what}`,
        read: decode,
        absent: absentAsNull,
      }),
  }
}
