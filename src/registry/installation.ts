import { decodeHex } from '../bytes/hex.ts'
import { type Arguments, clAddress, clBool, clByteArray, clString } from '../casper/types/arguments.ts'

/** The contracts, in the order in which they are installed and upgraded. */
export const contractNames = ['FeedRegistry', 'AttestationRegistry', 'EligibilityGate'] as const

export type ContractName = (typeof contractNames)[number]

/** The named key of the installing account that holds a contract's package hash. */
export const packageKeyName = (name: ContractName): string => `${name}_package_hash`

/** The named key of the installing account that holds the right to upgrade a contract. */
export const accessKeyName = (name: ContractName): string => `${packageKeyName(name)}_access_token`

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
 *
 * @param account `account-hash-…`
 */
export function installArguments(name: ContractName, account: string): Arguments {
  return { [initArgument[name]]: clAddress(account), ...odraArguments(packageKeyName(name)) }
}

/** The arguments that install a contract of Odra's, upgradable, under a named key; those of its `init` come beside. */
export function odraArguments(keyName: string): Arguments {
  return {
    odra_cfg_is_upgradable: clBool(true),
    odra_cfg_is_upgrade: clBool(false),
    odra_cfg_allow_key_override: clBool(false),
    odra_cfg_package_hash_key_name: clString(keyName),
  }
}

/** The group that Odra lets call `upgrade`; packages of its first versions have none. */
const UPGRADER_GROUP = 'upgrader_group'

/** The arguments that put a new version into a package; `upgrade` itself is told nothing, and keeps all data. */
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

/** A contract that is told another one's address. */
export type WiredContract = keyof typeof wiringCalls

/** How each is told. */
export const wiringCalls = {
  FeedRegistry: { entryPoint: 'set_eligibility_gate', argument: 'gate', of: 'EligibilityGate' },
  AttestationRegistry: { entryPoint: 'set_feed_registry', argument: 'feed_registry', of: 'FeedRegistry' },
} as const

/** In the order in which they are sent. */
export const wiredContracts = ['FeedRegistry', 'AttestationRegistry'] as const

/** The arguments of a wiring call. */
export function wiringArguments(name: WiredContract, packageHash: string): Arguments {
  return { [wiringCalls[name].argument]: clAddress(`hash-${packageHash}`) }
}
