import { DecodeError } from '../../bytes/cursor.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { queryGlobalState } from '../../casper/state/globalState.ts'
import { isRecord } from '../../casper/types/isRecord.ts'
import { contractHashOf, packageList, versionKey } from '../../casper/types/storedValueJson.ts'

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
