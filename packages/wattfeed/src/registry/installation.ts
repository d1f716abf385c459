import { decodeHex } from '@wattfeed/base'
import { type Arguments, clAddress, clBool, clByteArray, clString } from '@wattfeed/casper/types'

/** The contracts, in the order of installation and upgrade. */
export const contractNames = ['FeedRegistry', 'AttestationRegistry', 'EligibilityGate'] as const

export type ContractName = (typeof contractNames)[number]

/** Returns the name under which the installing account stores a contract's package hash. */
export const packageKeyName = (name: ContractName): string => `${name}_package_hash`

/** Returns the name under which the installing account stores the right to upgrade a contract. */
export const accessKeyName = (name: ContractName): string => `${packageKeyName(name)}_access_token`

/** The argument of each contract's `init` that takes the address of the first party. */
const initArgument: Readonly<Record<ContractName, string>> = {
  FeedRegistry: 'owner',
  AttestationRegistry: 'attester',
  EligibilityGate: 'owner',
}

/**
 * Creates the arguments for installing an upgradable contract with an account as its first party.
 *
 * If the named key exists, the installation fails instead of replacing the earlier package.
 *
 * @param account `account-hash-…`
 */
export function installArguments(name: ContractName, account: string): Arguments {
  return { [initArgument[name]]: clAddress(account), ...odraArguments(packageKeyName(name)) }
}

/** Creates the arguments for installing an upgradable Odra contract under a named key, without the arguments of `init`. */
export function odraArguments(keyName: string): Arguments {
  return {
    odra_cfg_is_upgradable: clBool(true),
    odra_cfg_is_upgrade: clBool(false),
    odra_cfg_allow_key_override: clBool(false),
    odra_cfg_package_hash_key_name: clString(keyName),
  }
}

/** The group that may call `upgrade`. Packages of early Odra versions do not have it. */
const UPGRADER_GROUP = 'upgrader_group'

/** Creates the arguments for adding a version to a package. `upgrade` takes no arguments of its own and keeps all data. */
export function upgradeArguments(
  name: ContractName,
  { packageHash, groups }: { packageHash: string; groups: readonly string[] },
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

/** A contract that needs the address of another contract. */
export type WiredContract = keyof typeof wiringCalls

export const wiringCalls = {
  FeedRegistry: { entryPoint: 'set_eligibility_gate', argument: 'gate', of: 'EligibilityGate' },
  AttestationRegistry: { entryPoint: 'set_feed_registry', argument: 'feed_registry', of: 'FeedRegistry' },
} as const

/** Wired contracts, in the order of the calls. */
export const wiredContracts = ['FeedRegistry', 'AttestationRegistry'] as const

export function wiringArguments(name: WiredContract, packageHash: string): Arguments {
  return { [wiringCalls[name].argument]: clAddress(`hash-${packageHash}`) }
}
