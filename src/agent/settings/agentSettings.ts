import { MAX_TIMER_MS } from '../../client/argument.ts'
import { casperTest } from '../../client/networks.ts'
import { chainSettings } from '../../runtime/chainSettings.ts'
import { type LogLevel, logLevelSetting } from '../../runtime/log.ts'
import { httpUrl, integer, path, positive, word } from '../../runtime/parsers.ts'
import { createSettingsReader, type Environment } from '../../runtime/settings.ts'
import { readVerificationSettings, type VerificationSettings } from '../../runtime/verificationSettings.ts'
import { attesterSettings, DEFAULT_STATE_DIR, readAsked } from './attesterSettings.ts'

/** What the agent and the feeds commands are told by their environment, checked. */
export interface AgentSettings extends VerificationSettings {
  /** Key for EIA's API; null where nothing is fetched and none was given. */
  apiKey: string | null
  /** Where EIA's API is, without `/v2`. */
  eiaBaseUrl: string
  eiaRequestsPerSecond: number
  /** Path of the feeds file; null for the built-in one. */
  feedsFile: string | null
  /** Path of the key file; null where nothing is written and none was given. */
  keyPath: string | null
  /** Folder of pending transactions and the lock. */
  stateDir: string
  /** What one transaction pays, where it was given. */
  paymentMotes: bigint | null
  /** Address and port of `/metrics` and `/health`; port 0 takes a free one. */
  host: string
  port: number
  rpcUrls: readonly string[]
  chainName: string
  /** 64 hex digits. */
  feedRegistryPackageHash: string
  /** 64 hex digits. */
  attestationRegistryPackageHash: string
  /** For one attempt to call a node, in milliseconds. */
  timeoutMs: number
  /** For one call with all its attempts, in milliseconds. */
  deadlineMs: number
  /** The most that a node is left alone for where it asks for it, in milliseconds. */
  retryAfterMaxMs: number
  concurrency: number
  logLevel: LogLevel
}

/** What a command is going to do. */
export interface AgentNeeds {
  /** Sends transactions: node, chain, registries and key have no default. */
  writes: boolean
  /** Asks EIA: its key has no default. */
  fetches: boolean
}

// A call has three times as long as an attempt.
const DEADLINE_TIMEOUTS = 3
const MAX_TIMEOUT_MS = Math.floor(MAX_TIMER_MS / DEADLINE_TIMEOUTS)

// EIA itself asks for fewer than five a second.
const MAX_REQUESTS_PER_SECOND = 1_000

const eiaSettings = {
  apiKey: { name: 'EIA_API_KEY', parse: word('a key'), isSecret: true },
  baseUrl: { name: 'EIA_BASE_URL', parse: httpUrl, isSecret: true },
  requestsPerSecond: { name: 'EIA_RPS', parse: positive(MAX_REQUESTS_PER_SECOND) },
} as const

/**
 * Reads the settings.
 *
 * Throws a `SettingsError` that names every fault.
 *
 * @example
 * ```ts
 * const settings = readAgentSettings(process.env, { writes: true, fetches: true })
 * ```
 */
export function readAgentSettings(environment: Environment, { writes, fetches }: AgentNeeds): AgentSettings {
  const reader = createSettingsReader(environment)
  const { rpcUrls, chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = chainSettings
  const timeout = { ...chainSettings.timeoutMs, parse: integer(1, MAX_TIMEOUT_MS) }
  const timeoutMs = reader.optional(timeout, 4_000)
  const settings: AgentSettings = {
    apiKey: fetches
      ? reader.required(eiaSettings.apiKey, null, 'it is free at https://www.eia.gov/opendata/register.php')
      : reader.optional(eiaSettings.apiKey, null),
    eiaBaseUrl: reader.optional(eiaSettings.baseUrl, 'https://api.eia.gov'),
    eiaRequestsPerSecond: reader.optional(eiaSettings.requestsPerSecond, 4),
    feedsFile: reader.optional({ name: 'FEEDS_FILE', parse: path }, null),
    keyPath: readAsked(reader, attesterSettings.keyPath, null, writes),
    stateDir: reader.optional(attesterSettings.stateDir, DEFAULT_STATE_DIR),
    paymentMotes: reader.optional(attesterSettings.paymentMotes, null),
    host: reader.optional({ name: 'HOST', parse: word('an address or host name') }, '0.0.0.0'),
    port: reader.optional({ name: 'AGENT_PORT', parse: integer(0, 65_535) }, 4031),
    rpcUrls: readAsked(reader, rpcUrls, casperTest.rpcUrls, writes),
    chainName: readAsked(reader, chainName, casperTest.chainName, writes),
    feedRegistryPackageHash: readAsked(
      reader,
      feedRegistryPackageHash,
      casperTest.feedRegistryPackageHash,
      writes,
    ),
    attestationRegistryPackageHash: readAsked(
      reader,
      attestationRegistryPackageHash,
      casperTest.attestationRegistryPackageHash,
      writes,
    ),
    timeoutMs,
    deadlineMs: DEADLINE_TIMEOUTS * timeoutMs,
    retryAfterMaxMs: reader.optional(chainSettings.retryAfterMaxMs, 30_000),
    concurrency: reader.optional(chainSettings.concurrency, 128),
    ...readVerificationSettings(reader),
    logLevel: reader.optional(logLevelSetting, 'info'),
  }
  reader.end()
  return settings
}
