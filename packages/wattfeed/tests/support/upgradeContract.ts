import { getStateRootHash } from '@wattfeed/casper'
import type { Signer } from '@wattfeed/casper/transaction'
import type { Arguments } from '@wattfeed/casper/types'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { type ContractPackage, getContractPackage } from '../../../../src/operator/contracts/contractState.ts'
import { wasmPaymentMotes } from '../../../../src/operator/contracts/payments.ts'
import { readWasm, wasmFolder } from '../../../../src/operator/contracts/wasmFile.ts'
import { type ContractName, upgradeArguments } from '../../src/registry/installation.ts'
import type { World } from './world.ts'

/** The current state of a contract's package. */
export async function readPackage(
  { devnet }: Pick<World, 'devnet'>,
  packageHash: string,
): Promise<ContractPackage> {
  const rpc = rpcOf(devnet.call, { chainName: devnet.chainName })
  const { hash } = await getStateRootHash(rpc)
  const contractPackage = await getContractPackage(rpc, packageHash, hash)
  if (contractPackage === null) throw new Error(`no package ${packageHash}`)
  return contractPackage
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
  const { bytes } = await readWasm(wasmFolder, name)
  const contractPackage = await readPackage(world, packageHash)
  world.tick()
  const [executed] = await world.sender.send([
    {
      signer,
      target: { wasm: bytes },
      args: { ...upgradeArguments(name, contractPackage), ...args },
      paymentMotes: wasmPaymentMotes[name],
    },
  ])
  return executed?.errorMessage ?? null
}
