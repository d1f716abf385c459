import type { ContractPackage } from '../../../../src/casper/types/contractPackage.ts'
import { hashKey } from '../../../../src/casper/types/key.ts'
import type { EngineChain } from './engineChain.ts'

/** A contract package as it stands in global state. Throws where there is none. */
export function contractPackageOf(chain: EngineChain, packageHash: Uint8Array): ContractPackage {
  const stored = chain.read(hashKey(packageHash))
  if (stored?.kind === 'ContractPackage') return stored.contractPackage
  throw new Error(`no contract package hash-${packageHash.toHex()}`)
}
