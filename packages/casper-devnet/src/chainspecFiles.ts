import type { Chainspec } from './chainspec.ts'
import { otherSettings } from './otherSettings.ts'
import { formatToml, isTable, type TomlTable, type TomlValue } from './toml.ts'

/** The files of a network that `info_get_chainspec` returns, as TOML. */
export interface ChainspecFiles {
  chainspec: string
  /** The accounts at genesis; null for the chainspec of an upgrade. */
  accounts: string | null
}

export interface ChainspecFile {
  chainspec: Chainspec
  chainName: string
  /** The time of genesis in epoch milliseconds, or the first era of an upgrade. */
  activation: { genesisMs: number } | { eraId: number }
}

/** Returns a `chainspec.toml` with all settings that casper-types knows. */
export function formatChainspec({ chainspec, chainName, activation }: ChainspecFile): string {
  const { protocol, ...settings } = chainspec
  const activation_point =
    'eraId' in activation ? activation.eraId : new Date(activation.genesisMs).toISOString()
  const own = {
    protocol: { version: protocol.version.join('.'), hard_reset: false, activation_point },
    network: { name: chainName },
    ...settings,
  }
  return formatToml(merge(own, otherSettings(chainspec)))
}

/** Adds the values of a second table that the first one does not have. */
function merge(first: TomlTable, second: TomlTable): TomlTable {
  const added = Object.entries(second).map(([name, value]) => [name, mergeValue(first[name], value)])
  return { ...first, ...Object.fromEntries(added) }
}

function mergeValue(first: TomlValue | undefined, second: TomlValue): TomlValue {
  if (first === undefined) return second
  return isTable(first) && isTable(second) ? merge(first, second) : first
}

export interface AccountAtGenesis {
  publicKey: string
  balanceMotes: bigint
  /** The stake of a validator. */
  stakeMotes?: bigint | undefined
}

/** Returns an `accounts.toml`. */
export function formatAccounts(accounts: readonly AccountAtGenesis[]): string {
  const tables = accounts.map(({ publicKey, balanceMotes, stakeMotes }) => ({
    public_key: publicKey,
    balance: String(balanceMotes),
    ...(stakeMotes === undefined
      ? {}
      : { validator: { bonded_amount: String(stakeMotes), delegation_rate: 0 } }),
  }))
  return formatToml({ accounts: tables })
}
