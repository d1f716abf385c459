import { memberAt } from '@wattfeed/base'
import type { Signer } from '@wattfeed/casper/transaction'
import { type Arguments, listPackageVersions, type PackageVersion, packageList } from '@wattfeed/casper/types'
import { readContractWasm } from '@wattfeed/casper-devnet/testing/contractWasm'
import { type ContractName, upgradeArguments } from '../../src/registry/installation.ts'
import { WASM_MOTES } from './installContract.ts'
import type { World } from './world.ts'

export interface InstalledPackage {
  packageHash: string
  groups: readonly string[]
  /** Oldest first. */
  versions: readonly PackageVersion[]
}

/** The current state of a contract's package. */
export async function readPackage(
  { devnet }: Pick<World, 'devnet'>,
  packageHash: string,
): Promise<InstalledPackage> {
  const found = await devnet.call('query_global_state', { key: `hash-${packageHash}`, path: [] })
  const stored = memberAt(found, 'result', 'stored_value')
  const groups = packageList(memberAt(stored, 'ContractPackage', 'groups'))
  return {
    packageHash,
    groups: groups.map((group) => String(memberAt(group, 'group_name'))),
    versions: listPackageVersions(stored),
  }
}

/**
 * Adds the delivered wasm to a package as its newest version; returns the error, or null.
 *
 * @param args arguments of `upgrade`
 */
export async function upgradeContract(
  world: Pick<World, 'devnet' | 'sender' | 'tick'>,
  signer: Signer,
  { name, packageHash, args = {} }: { name: ContractName; packageHash: string; args?: Arguments },
): Promise<string | null> {
  const contractPackage = await readPackage(world, packageHash)
  world.tick()
  const [executed] = await world.sender.send([
    {
      signer,
      target: { wasm: readContractWasm(name) },
      args: { ...upgradeArguments(name, contractPackage), ...args },
      paymentMotes: WASM_MOTES,
    },
  ])
  return executed?.errorMessage ?? null
}
