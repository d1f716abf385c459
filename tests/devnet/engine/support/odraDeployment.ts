import { type Arguments, clAddress, clBool, clByteArray, clString } from '@wattfeed/casper/types'
import { readContractWasm } from '@wattfeed/casper-devnet/testing/contractWasm'
import { type EngineChain, packageHashOf } from '@wattfeed/casper-devnet/testing/engine/engineChain'
import type { ExecutionResult } from '../../../../packages/casper-devnet/src/engine/execute.ts'
import { type ContractName, packageKeyName } from '../../../../packages/wattfeed/src/registry/installation.ts'

/** Installs a contract with the same arguments as Odra's test backend, so that its figures apply. */
export function installAsOdra(
  chain: EngineChain,
  owner: Uint8Array,
  name: ContractName,
): { installed: ExecutionResult; packageHash: Uint8Array } {
  const installed = send(chain, owner, name, {
    [name === 'AttestationRegistry' ? 'attester' : 'owner']: clAddress(`account-hash-${owner.toHex()}`),
    odra_cfg_is_upgradable: clBool(true),
    odra_cfg_is_upgrade: clBool(false),
    odra_cfg_allow_key_override: clBool(true),
    odra_cfg_package_hash_key_name: clString(packageKeyName(name)),
  })
  return { installed, packageHash: packageHashOf(chain, owner, packageKeyName(name)) }
}

/** Upgrades a contract to the same wasm, with the same arguments as Odra's test backend. */
export function upgradeAsOdra(
  chain: EngineChain,
  owner: Uint8Array,
  name: ContractName,
  packageHash: Uint8Array,
): ExecutionResult {
  return send(chain, owner, name, {
    odra_cfg_is_upgrade: clBool(true),
    odra_cfg_package_hash_to_upgrade: clByteArray(packageHash),
    odra_cfg_allow_key_override: clBool(true),
    odra_cfg_package_hash_key_name: clString(packageKeyName(name)),
    odra_cfg_create_upgrade_group: clBool(false),
  })
}

const send = (chain: EngineChain, initiator: Uint8Array, name: ContractName, args: Arguments) =>
  chain.execute({
    initiator,
    target: { kind: 'session', wasm: readContractWasm(name), isInstallOrUpgrade: true },
    args,
  })
