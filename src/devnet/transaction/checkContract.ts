import { type ContractPackage, isEnabled } from '../../casper/types/contractPackage.ts'
import { hashKey } from '../../casper/types/key.ts'
import type { StoredValue } from '../../casper/types/storedValue.ts'
import { protocolVersion } from '../protocolVersion.ts'
import type { Refusal } from './refusal.ts'
import type { Target } from './transaction.ts'

/** What is stored under a serialized key, or null. */
export type ReadValue = (key: Uint8Array) => StoredValue | null

/**
 * What a node holds against a call of a stored contract, or null. A contract that is named by a named key is not
 * looked up before the transaction runs, nor is the newest version of a package.
 */
export function checkContract(target: Target, read: ReadValue): Refusal | null {
  if (target.kind === 'contract') return checkEntryPoint(target.contractHash, target.entryPoint, read)
  if (target.kind !== 'package') return null
  const stored = read(hashKey(target.packageHash))
  if (stored?.kind !== 'ContractPackage') return 'noPackage'
  if (target.version === null) return null
  return checkVersion(stored.contractPackage, target.version, target.entryPoint, read)
}

function checkVersion(
  contractPackage: ContractPackage,
  contractVersion: number,
  entryPoint: string,
  read: ReadValue,
): Refusal | null {
  const version = contractPackage.versions.find(
    (each) => each.protocolVersionMajor === protocolVersion[0] && each.contractVersion === contractVersion,
  )
  if (version === undefined) return 'missingVersion'
  if (!isEnabled(contractPackage, version)) return 'disabledVersion'
  return checkEntryPoint(version.contractHash, entryPoint, read)
}

function checkEntryPoint(contractHash: Uint8Array, entryPoint: string, read: ReadValue): Refusal | null {
  const stored = read(hashKey(contractHash))
  if (stored?.kind !== 'Contract') return 'noContract'
  return stored.contract.entryPoints.has(entryPoint) ? null : 'noEntryPoint'
}
