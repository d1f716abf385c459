import { MIN_PAYMENT_MOTES } from '@wattfeed/casper/transaction'
import { readContractWasm, readRecordedGate } from '@wattfeed/casper-devnet/testing/contractWasm'
import type { Sender } from '@wattfeed/casper-devnet/testing/sender'
import {
  type ContractName,
  installArguments,
  odraArguments,
  packageKeyName,
  wiringArguments,
  wiringCalls,
} from '../../src/registry/installation.ts'
import type { RegistryName } from '../../src/registry/layout.ts'
import { type Installable, type Installer, installContract, sendOrThrow } from './installContract.ts'

/** Package hashes, 64 hex digits. */
export type Packages = Readonly<Record<RegistryName | 'Gate', string>>

/** Installs both registries and a gate, and wires them together. @param gate by default an open one */
export async function installRegistries(
  sender: Sender,
  installer: Installer,
  gate?: Installable,
): Promise<Packages> {
  const packages = await installUnwired(sender, installer, gate)
  for (const [name, other] of [
    ['FeedRegistry', 'Gate'],
    ['AttestationRegistry', 'FeedRegistry'],
  ] as const)
    await sendOrThrow(sender, {
      signer: installer.signer,
      target: { packageHash: packages[name], entryPoint: wiringCalls[name].entryPoint },
      args: wiringArguments(name, packages[other]),
      paymentMotes: MIN_PAYMENT_MOTES,
    })
  return packages
}

/** Installs both registries and a gate without wiring them. */
export async function installUnwired(
  sender: Sender,
  installer: Installer,
  gate?: Installable,
): Promise<Packages> {
  const install = (contract: Installable): Promise<string> => installContract(sender, installer, contract)
  return {
    FeedRegistry: await install(await builtContract('FeedRegistry', installer.account)),
    AttestationRegistry: await install(await builtContract('AttestationRegistry', installer.account)),
    Gate: await install(gate ?? openGate()),
  }
}

/** One of our contracts in its delivered form, for this first party. */
export async function builtContract(name: ContractName, account: string): Promise<Installable> {
  return {
    wasm: readContractWasm(name),
    args: installArguments(name, account),
    keyName: packageKeyName(name),
  }
}

/** The recorded gate, which accepts every account except those on its list of rejected ones. */
export const openGate = (): Installable => plainContract('OpenGate_package_hash', readRecordedGate())

/** A contract without installation arguments. */
export const plainContract = (keyName: string, wasm: Uint8Array): Installable => ({
  wasm,
  keyName,
  args: odraArguments(keyName),
})
