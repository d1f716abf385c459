import { casperTest } from '../../client/networks.ts'
import { type ContractName, contractNames } from '../contracts/contractName.ts'
import { createSettingsReader, type Environment } from './environment.ts'
import { chainName, integer, motes, packageHash, path, rpcUrls } from './parsers.ts'

/** What `bun run contracts` is told by its environment, checked. */
export interface ContractsSettings {
  rpcUrls: readonly string[]
  chainName: string
  /** For one attempt to call a node, in milliseconds. */
  timeoutMs: number
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
  FeedRegistry: 'FEED_REGISTRY_PACKAGE_HASH',
  AttestationRegistry: 'ATTESTATION_REGISTRY_PACKAGE_HASH',
  EligibilityGate: 'ELIGIBILITY_GATE_PACKAGE_HASH',
}

// The longest that a timer takes, a third of it: a call has three times as long as an attempt.
const MAX_TIMEOUT_MS = Math.floor((2 ** 31 - 1) / 3)

/**
 * Reads the settings. What writes has no default for node, chain and key: whoever pays says where.
 *
 * Throws a `SettingsError` that names every fault.
 */
export function readContractsSettings(environment: Environment, writes: boolean): ContractsSettings {
  const reader = createSettingsReader(environment)
  const why = 'what writes to a chain has no default for it'
  const asked = <T>(name: string, parse: (text: string) => T, fallback: T): T =>
    writes ? reader.required(name, parse, fallback, why) : reader.optional(name, parse, fallback)
  const hashes = contractNames.map((name) => [
    name,
    reader.optional(packageHashSetting[name], packageHash, null),
  ])
  const settings: ContractsSettings = {
    rpcUrls: asked('CASPER_RPC_URL', rpcUrls, casperTest.rpcUrls),
    chainName: asked('CASPER_CHAIN_NAME', chainName, casperTest.chainName),
    timeoutMs: reader.optional('RPC_TIMEOUT_MS', integer(1, MAX_TIMEOUT_MS), 30_000),
    concurrency: reader.optional('RPC_CONCURRENCY', integer(1, 65_535), 128),
    packageHashes: Object.fromEntries(hashes),
    keyPath: asked('ATTESTER_KEY_PATH', path, ''),
    stateDir: reader.optional('AGENT_STATE_DIR', path, '.wattfeed'),
    callPaymentMotes: reader.optional('PAYMENT_MOTES', motes, null),
  }
  reader.end()
  return settings
}
