import { attesterSettings, DEFAULT_STATE_DIR, readAsked } from '../agent/settings/attesterSettings.ts'
import { MAX_TIMER_MS } from '../client/argument.ts'
import { casperTest } from '../client/networks.ts'
import { chainSettings } from '../runtime/chainSettings.ts'
import { integer, packageHash } from '../runtime/parsers.ts'
import { createSettingsReader, type Environment } from '../runtime/settings.ts'
import { type ContractName, contractNames } from './contracts/contractName.ts'

/** What `bun run contracts` is told by its environment, checked. */
export interface ContractsSettings {
  rpcUrls: readonly string[]
  chainName: string
  /** For one attempt to call a node, in milliseconds. */
  timeoutMs: number
  /** The most that a node is left alone for where it asks for it, in milliseconds. */
  retryAfterMaxMs: number
  concurrency: number
  /** Package hashes that were given, 64 hex digits. */
  packageHashes: Readonly<Record<ContractName, string | null>>
  /** Path of the key file; empty where nothing is written. */
  keyPath: string
  /** Where the deployment file stands, unless another one is named. */
  stateDir: string
  /** What a call pays, where it was given. */
  callPaymentMotes: bigint | null
}

/** The setting that holds a contract's package hash. */
export const packageHashSetting: Readonly<Record<ContractName, string>> = {
  FeedRegistry: chainSettings.feedRegistryPackageHash.name,
  AttestationRegistry: chainSettings.attestationRegistryPackageHash.name,
  EligibilityGate: chainSettings.eligibilityGatePackageHash.name,
}

// A call has three times as long as an attempt.
const MAX_TIMEOUT_MS = Math.floor(MAX_TIMER_MS / 3)

/**
 * Reads the settings. What writes has no default for node, chain and key: whoever pays says where.
 *
 * Throws a `SettingsError` that names every fault.
 */
export function readContractsSettings(environment: Environment, writes: boolean): ContractsSettings {
  const reader = createSettingsReader(environment)
  const hashes = contractNames.map((name) => [
    name,
    reader.optional({ name: packageHashSetting[name], parse: packageHash }, null),
  ])
  const timeoutMs = { ...chainSettings.timeoutMs, parse: integer(1, MAX_TIMEOUT_MS) }
  const settings: ContractsSettings = {
    rpcUrls: readAsked(reader, chainSettings.rpcUrls, casperTest.rpcUrls, writes),
    chainName: readAsked(reader, chainSettings.chainName, casperTest.chainName, writes),
    timeoutMs: reader.optional(timeoutMs, 30_000),
    retryAfterMaxMs: reader.optional(chainSettings.retryAfterMaxMs, 30_000),
    concurrency: reader.optional(chainSettings.concurrency, 128),
    packageHashes: Object.fromEntries(hashes),
    keyPath: readAsked(reader, attesterSettings.keyPath, '', writes),
    stateDir: reader.optional(attesterSettings.stateDir, DEFAULT_STATE_DIR),
    callPaymentMotes: reader.optional(attesterSettings.paymentMotes, null),
  }
  reader.end()
  return settings
}
