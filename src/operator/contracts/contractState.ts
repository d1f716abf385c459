import type { Cursor } from '../../bytes/cursor.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getDictionaryItem } from '../../casper/state/globalState.ts'
import { type OdraContract, PackageNotFoundError, readOdraContract } from '../../odra/contract.ts'
import { decodeField } from '../../odra/field.ts'
import { itemKey } from '../../odra/itemKey.ts'
import type { ContractName } from '../../registry/installation.ts'
import { type ContractPackage, getContractPackage, newestVersion } from './contractPackage.ts'

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
