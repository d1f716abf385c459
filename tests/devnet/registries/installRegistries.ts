import { readFile } from 'node:fs/promises'
import { packageKeyName } from '../../../src/agent/contracts/contractName.ts'
import { wirePaymentMotes } from '../../../src/agent/contracts/payments.ts'
import { installArguments } from '../../../src/agent/contracts/wasmArguments.ts'
import { readWasm, wasmFolder } from '../../../src/agent/contracts/wasmFile.ts'
import { wiringArguments } from '../../../src/agent/contracts/wiring.ts'
import { wiringCalls } from '../../../src/agent/contracts/wiringCalls.ts'
import { clBool, clString } from '../../../src/agent/transaction/clValue.ts'
import { recordingFolder } from '../../../src/devnet/exchange.ts'
import type { RegistryName } from '../../../src/registry/layout.ts'
import { type Installable, type Installer, installContract, sendOrThrow } from './installContract.ts'
import type { Sender } from './sender.ts'

/** Package hashes, 64 hex digits. */
export type Packages = Readonly<Record<RegistryName | 'OpenGate', string>>

/** Installs both registries and a gate, not wired yet. */
export async function installUnwired(sender: Sender, installer: Installer): Promise<Packages> {
  const install = async (contract: Promise<Installable>): Promise<string> =>
    installContract(sender, installer, await contract)
  return {
    FeedRegistry: await install(registry('FeedRegistry', installer.account)),
    AttestationRegistry: await install(registry('AttestationRegistry', installer.account)),
    OpenGate: await install(openGate()),
  }
}

/** Installs both registries and a gate, and tells them each other's addresses. */
export async function installRegistries(sender: Sender, installer: Installer): Promise<Packages> {
  const packages = await installUnwired(sender, installer)
  await wire(sender, installer, packages)
  return packages
}

/** Tells the registries the gate's and each other's address. */
export async function wire(sender: Sender, { signer }: Installer, packages: Packages): Promise<void> {
  for (const [name, other] of [
    ['FeedRegistry', 'OpenGate'],
    ['AttestationRegistry', 'FeedRegistry'],
  ] as const)
    await sendOrThrow(sender, {
      signer,
      target: { packageHash: packages[name], entryPoint: wiringCalls[name].entryPoint },
      args: wiringArguments(name, packages[other]),
      paymentMotes: wirePaymentMotes,
    })
}

async function registry(name: RegistryName, account: string): Promise<Installable> {
  const { bytes } = await readWasm(wasmFolder, name)
  return { wasm: bytes, args: installArguments(name, account), keyName: packageKeyName(name) }
}

/** The gate of the recordings, which lets in everybody but those whom it was told to refuse. */
async function openGate(): Promise<Installable> {
  const keyName = 'OpenGate_package_hash'
  return {
    wasm: new Uint8Array(await readFile(`${recordingFolder}gate.wasm`)),
    keyName,
    args: {
      odra_cfg_is_upgradable: clBool(true),
      odra_cfg_is_upgrade: clBool(false),
      odra_cfg_allow_key_override: clBool(false),
      odra_cfg_package_hash_key_name: clString(keyName),
    },
  }
}
