import { concatBytes } from '@noble/hashes/utils.js'
import { DecodeError } from '../bytes/cursor.ts'
import { decodeHex } from '../bytes/hex.ts'
import { encodeLittleEndian } from '../bytes/littleEndian.ts'

/** The contracts, in the order in which they are installed and upgraded. */
export const contractNames = ['FeedRegistry', 'AttestationRegistry', 'EligibilityGate'] as const

export type ContractName = (typeof contractNames)[number]

/** The named key of the installing account that holds a contract's package hash. */
export const packageKeyName = (name: ContractName): string => `${name}_package_hash`

/** The named key of the installing account that holds the right to upgrade a contract. */
export const accessKeyName = (name: ContractName): string => `${packageKeyName(name)}_access_token`

/** An argument with its type, as a transaction carries it: `bytesrepr` of the value. */
export interface InstallationArgument {
  readonly clType: 'Bool' | 'Key' | 'String' | { readonly ByteArray: number }
  readonly bytes: Uint8Array
}

/** Named arguments in the order in which they are sent. */
export type InstallationArguments = Readonly<Record<string, InstallationArgument>>

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
export function installArguments(name: ContractName, account: string): InstallationArguments {
  return { [initArgument[name]]: address(account), ...odraArguments(packageKeyName(name)) }
}

/** The arguments that install a contract of Odra's, upgradable, under a named key; those of its `init` come beside. */
export function odraArguments(keyName: string): InstallationArguments {
  return {
    odra_cfg_is_upgradable: bool(true),
    odra_cfg_is_upgrade: bool(false),
    odra_cfg_allow_key_override: bool(false),
    odra_cfg_package_hash_key_name: text(keyName),
  }
}

/** The group that Odra lets call `upgrade`; packages of its first versions have none. */
const UPGRADER_GROUP = 'upgrader_group'

/** The arguments that put a new version into a package; `upgrade` itself is told nothing, and keeps all data. */
export function upgradeArguments(
  name: ContractName,
  { packageHash, groups }: { packageHash: string; groups: readonly string[] },
): InstallationArguments {
  return {
    odra_cfg_is_upgrade: bool(true),
    odra_cfg_package_hash_to_upgrade: {
      clType: { ByteArray: 32 },
      bytes: decodeHex(packageHash, 'package hash'),
    },
    odra_cfg_package_hash_key_name: text(packageKeyName(name)),
    odra_cfg_allow_key_override: bool(true),
    odra_cfg_is_upgradable: bool(true),
    odra_cfg_is_factory_upgrade: bool(false),
    odra_cfg_create_upgrade_group: bool(!groups.includes(UPGRADER_GROUP)),
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
export function wiringArguments(name: WiredContract, packageHash: string): InstallationArguments {
  return { [wiringCalls[name].argument]: address(`hash-${packageHash}`) }
}

const bool = (value: boolean): InstallationArgument => ({
  clType: 'Bool',
  bytes: Uint8Array.of(value ? 1 : 0),
})

function text(value: string): InstallationArgument {
  const bytes = new TextEncoder().encode(value)
  return { clType: 'String', bytes: concatBytes(encodeLittleEndian(bytes.length, 4), bytes) }
}

/** An account (`account-hash-…`) or a contract package (`hash-…`), as Odra's `Address`. */
function address(name: string): InstallationArgument {
  const [, kind, hex] = /^(account-hash|hash)-([0-9a-f]{64})$/.exec(name) ?? []
  if (hex === undefined) throw new DecodeError(name, 'it is not account-hash-… or hash-… with 64 hex digits')
  return {
    clType: 'Key',
    bytes: concatBytes(Uint8Array.of(kind === 'hash' ? 1 : 0), decodeHex(hex, 'address')),
  }
}
