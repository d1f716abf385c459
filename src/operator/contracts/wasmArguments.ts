import { decodeHex } from '../../bytes/hex.ts'
import type { Arguments } from '../../casper/transaction/arguments.ts'
import { clAddress, clBool, clByteArray, clString } from '../../casper/transaction/clValue.ts'
import { type ContractName, packageKeyName } from './contractName.ts'
import type { ContractPackage } from './contractState.ts'

/** What each contract's `init` calls its first party. */
const initArgument: Readonly<Record<ContractName, string>> = {
  FeedRegistry: 'owner',
  AttestationRegistry: 'attester',
  EligibilityGate: 'owner',
}

/**
 * The arguments that install a contract, upgradable, with an account as its first party.
 *
 * A named key that is there already is not replaced: the installation fails rather than hide the package before it.
 */
export function installArguments(name: ContractName, account: string): Arguments {
  return {
    [initArgument[name]]: clAddress(account),
    odra_cfg_is_upgradable: clBool(true),
    odra_cfg_is_upgrade: clBool(false),
    odra_cfg_allow_key_override: clBool(false),
    odra_cfg_package_hash_key_name: clString(packageKeyName(name)),
  }
}

/** The group that Odra lets call `upgrade`; packages of its first versions have none. */
const UPGRADER_GROUP = 'upgrader_group'

/** The arguments that put a new version into a package; `upgrade` itself is told nothing, and keeps all data. */
export function upgradeArguments(
  name: ContractName,
  { packageHash, groups }: Pick<ContractPackage, 'packageHash' | 'groups'>,
): Arguments {
  return {
    odra_cfg_is_upgrade: clBool(true),
    odra_cfg_package_hash_to_upgrade: clByteArray(decodeHex(packageHash, 'package hash')),
    odra_cfg_package_hash_key_name: clString(packageKeyName(name)),
    odra_cfg_allow_key_override: clBool(true),
    odra_cfg_is_upgradable: clBool(true),
    odra_cfg_is_factory_upgrade: clBool(false),
    odra_cfg_create_upgrade_group: clBool(!groups.includes(UPGRADER_GROUP)),
  }
}
