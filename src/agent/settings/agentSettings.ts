import { listenSettings } from '../../runtime/listenSettings.ts'
import { type LogLevel, logLevelSetting } from '../../runtime/log.ts'
import { httpUrl, path, positive, word } from '../../runtime/parsers.ts'
import { createSettingsReader, type Environment } from '../../runtime/settings.ts'
import {
  readVerificationSettings,
  type VerificationSettings,
  verificationSettings,
} from '../../runtime/verificationSettings.ts'
import { attesterSettings, DEADLINE_TIMEOUTS } from './attesterSettings.ts'

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

// EIA itself asks for fewer than five a second.
const MAX_REQUESTS_PER_SECOND = 1_000

/** The settings of the agent and of the feeds commands. */
export const agentSettings = {
  apiKey: {
    name: 'EIA_API_KEY',
    meaning: "key for EIA's API, free at https://www.eia.gov/opendata/register.php",
    parse: word('a key'),
    default: null,
    needed: { when: 'to ask EIA', why: 'it is free at https://www.eia.gov/opendata/register.php' },
    isSecret: true,
  },
  eiaBaseUrl: {
    name: 'EIA_BASE_URL',
    meaning: 'where the API is',
    parse: httpUrl,
    default: 'https://api.eia.gov',
    isSecret: true,
  },
  eiaRequestsPerSecond: {
    name: 'EIA_RPS',
    meaning: 'requests a second to it; EIA suspends keys that send 5',
    parse: positive(MAX_REQUESTS_PER_SECOND),
    default: 4,
  },
  feedsFile: {
    name: 'FEEDS_FILE',
    meaning: 'the feeds file',
    parse: path,
    default: null,
    defaultText: 'the feeds that come with wattfeed',
  },
  ...attesterSettings,
  ...verificationSettings,
  host: { ...listenSettings.host, meaning: 'address to listen on for /metrics and /health' },
  port: { ...listenSettings.port, name: 'AGENT_PORT', default: 4031 },
  logLevel: logLevelSetting,
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
  const reader = createSettingsReader(environment, agentSettings)
  const timeoutMs = reader.read(agentSettings.timeoutMs)
  const settings: AgentSettings = {
    apiKey: reader.read(agentSettings.apiKey, fetches),
    eiaBaseUrl: reader.read(agentSettings.eiaBaseUrl),
    eiaRequestsPerSecond: reader.read(agentSettings.eiaRequestsPerSecond),
    feedsFile: reader.read(agentSettings.feedsFile),
    keyPath: reader.read(agentSettings.keyPath, writes),
    stateDir: reader.read(agentSettings.stateDir),
    paymentMotes: reader.read(agentSettings.paymentMotes),
    host: reader.read(agentSettings.host),
    port: reader.read(agentSettings.port),
    rpcUrls: reader.read(agentSettings.rpcUrls, writes),
    chainName: reader.read(agentSettings.chainName, writes),
    feedRegistryPackageHash: reader.read(agentSettings.feedRegistryPackageHash, writes),
    attestationRegistryPackageHash: reader.read(agentSettings.attestationRegistryPackageHash, writes),
    timeoutMs,
    deadlineMs: DEADLINE_TIMEOUTS * timeoutMs,
    retryAfterMaxMs: reader.read(agentSettings.retryAfterMaxMs),
    concurrency: reader.read(agentSettings.concurrency),
    ...readVerificationSettings(reader),
    logLevel: reader.read(agentSettings.logLevel),
  }
  reader.end()
  return settings
}
