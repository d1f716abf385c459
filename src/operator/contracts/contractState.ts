import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getDictionaryItem, queryGlobalState } from '../../casper/state/globalState.ts'
import { isRecord } from '../../casper/types/isRecord.ts'
import { contractHashOf, packageList, versionKey } from '../../casper/types/storedValueJson.ts'
import { type OdraContract, PackageNotFoundError, readOdraContract } from '../../odra/contract.ts'
import { decodeField } from '../../odra/field.ts'
import { itemKey } from '../../odra/itemKey.ts'
import type { ContractName } from '../../registry/installation.ts'
import { attestationRegistryFields, feedRegistryFields } from '../../registry/layout.ts'

/** Odra's numbers of the plain fields that wire and count, in the contracts' order. */
export const fieldsOf = {
  FeedRegistry: {
    owner: feedRegistryFields.owner,
    count: feedRegistryFields.count,
    eligibilityGate: feedRegistryFields.eligibility_gate,
  },
  AttestationRegistry: {
    attester: attestationRegistryFields.attester,
    total: attestationRegistryFields.total,
    feedRegistry: attestationRegistryFields.feed_registry,
    feedRegistrySeed: 7,
  },
  EligibilityGate: { owner: 1, roots: 2, granted: 5 },
} as const

/** One version of a contract package. */
export interface ContractVersion {
  /** `2.1`: the protocol's major version and the contract's version. */
  version: string
  /** 64 hex digits. */
  contractHash: string
  isEnabled: boolean
}

/** A contract package, as far as an operator needs it. */
export interface ContractPackage {
  /** 64 hex digits. */
  packageHash: string
  /** `uref-…-007`: whoever holds it may upgrade. */
  accessUref: string
  isLocked: boolean
  groups: readonly string[]
  /** Oldest first. */
  versions: readonly ContractVersion[]
}

/** A package, by `query_global_state`; null where there is none under this hash. */
export function getContractPackage(
  rpc: Rpc,
  packageHash: string,
  stateRootHash: string,
): Promise<ContractPackage | null> {
  return queryGlobalState(rpc, {
    stateRootHash,
    key: `hash-${packageHash}`,
    decode: (stored) => readPackage(packageHash, stored),
  })
}

/** The newest version that can be called, or null where all are disabled. */
export function newestVersion(contractPackage: ContractPackage): ContractVersion | null {
  return contractPackage.versions.findLast(({ isEnabled }) => isEnabled) ?? null
}

function readPackage(packageHash: string, stored: unknown): ContractPackage {
  const value = isRecord(stored) ? stored.ContractPackage : undefined
  if (!isRecord(value) || typeof value.access_key !== 'string') throw broken('it is no contract package')
  const disabled = packageList(value.disabled_versions).map((each) => versionKey(each).join('.'))
  const versions = packageList(value.versions)
    .map((each) => ({ number: versionKey(each), contractHash: contractHashOf(each) }))
    .sort((a, b) => a.number[0] - b.number[0] || a.number[1] - b.number[1])
    .map(({ number, contractHash }) => {
      const version = number.join('.')
      return { version, contractHash, isEnabled: !disabled.includes(version) }
    })
  const groups = packageList(value.groups).map(groupName)
  const isLocked = value.lock_status !== 'Unlocked'
  return { packageHash, accessUref: value.access_key, isLocked, groups, versions }
}

const broken = (rule: string): DecodeError => new DecodeError('ContractPackage', rule)

function groupName(value: unknown): string {
  if (isRecord(value) && typeof value.group_name === 'string') return value.group_name
  throw broken('a group has no name')
}

/** An entry point that only this contract has: package hashes are easily swapped. */
const ownEntryPoint: Readonly<Record<ContractName, string>> = {
  FeedRegistry: 'register_feed',
  AttestationRegistry: 'attest',
  EligibilityGate: 'claim',
}

/** One contract's package and its newest version at a state root. */
export interface ContractState {
  name: ContractName
  contractPackage: ContractPackage
  /** 64 hex digits of the newest enabled version. */
  contractHash: string
  contract: OdraContract
  /** The value of a plain field by its number, or null where nothing was stored in it. */
  read<T>(field: number, what: string, read: (cursor: Cursor) => T): Promise<T | null>
}

/**
 * Reads a package and its newest enabled version.
 *
 * Throws a `PackageNotFoundError` where there is no package, no enabled version, or another contract.
 */
export async function readContractState(
  rpc: Rpc,
  name: ContractName,
  packageHash: string,
  stateRootHash: string,
): Promise<ContractState> {
  const missing = (rule: string) => new PackageNotFoundError(name, packageHash, rule)
  const contractPackage = await getContractPackage(rpc, packageHash, stateRootHash)
  if (contractPackage === null) throw missing('no contract package')
  const newest = newestVersion(contractPackage)
  if (newest === null) throw missing('no enabled version')
  const contract = await readOdraContract(rpc, name, `hash-${newest.contractHash}`, stateRootHash)
  if (!contract?.entryPoints.has(ownEntryPoint[name]))
    throw missing(`no contract with the entry point "${ownEntryPoint[name]}"`)
  return {
    name,
    contractPackage,
    contractHash: newest.contractHash,
    contract,
    read: (field, what, read) =>
      getDictionaryItem(rpc, {
        stateRootHash,
        seedUref: contract.stateUref,
        itemKey: itemKey(field),
        what: `${name}.${what}`,
        decode: (bytes) => decodeField(bytes, `${name}.${what}`, read),
      }),
  }
}
