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
  isRecord,
  listPackageVersions,
  newestEnabled,
  type PackageVersion,
  packageList,
} from '@wattfeed/casper/types'
import { type ContractName, ownEntryPoints } from 'wattfeed/internal'

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

export function getContractPackage(
  rpc: Rpc,
  packageHash: string,
  stateRootHash: string,
): Promise<ContractPackage | null> {
  return createGlobalState(rpc).query({
    stateRootHash,
    key: `hash-${packageHash}`,
    decode: (stored) => readPackage(packageHash, stored),
    absent: absentAsNull,
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

export interface ContractState {
  name: ContractName
  contractPackage: ContractPackage
  /** 64 hex digits of the newest enabled version. */
  contractHash: string
  contract: OdraContract
  /** Reads a field by its number, or an entry of a mapping by its key; null if nothing is stored. Errors name `what`. */
  read<T>(field: number, what: string, decode: (cursor: Cursor) => T, key?: Uint8Array): Promise<T | null>
}

/**
 * Reads a package and its newest enabled version.
 *
 * @throws {PackageNotFoundError} if there is no package or enabled version, or it is another contract.
 */
export async function readContractState(
  rpc: Rpc,
  name: ContractName,
  packageHash: string,
  stateRootHash: string,
): Promise<ContractState> {
  const missing = (rule: string) => new PackageNotFoundError(name, packageHash, rule)
  const state = createGlobalState(rpc)
  const contractPackage = await getContractPackage(rpc, packageHash, stateRootHash)
  if (contractPackage === null) throw missing('no contract package')
  const newest = newestEnabled(contractPackage.versions)
  if (newest === null) throw missing('no enabled version')
  const contract = await readOdraContract(state, name, `hash-${newest.contractHash}`, stateRootHash)
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
