import { type ContractPackage, hashKey } from '@wattfeed/casper/types'
import type { EngineChain } from './engineChain.ts'

/** Reads a contract package from global state. Throws if there is none. */
export function contractPackageOf(chain: EngineChain, packageHash: Uint8Array): ContractPackage {
  const stored = chain.read(hashKey(packageHash))
  if (stored?.kind === 'ContractPackage') return stored.contractPackage
  throw new Error(`no contract package hash-${packageHash.toHex()}`)
}
