import { Type } from '@sinclair/typebox'
import { MAX_TIMER_MS } from 'wattfeed/internal'
import { logSettings } from '../runtime/log.ts'
import {
  authorizationConflicts,
  callOptions,
  callSettings,
  chainOptions,
  chainSettings,
} from '../runtime/settings/chainSettings.ts'
import { formatSettings } from '../runtime/settings/formatSettings.ts'
import { listenSettings } from '../runtime/settings/listenSettings.ts'
import {
  type Environment,
  parseSettings,
  type SettingValues,
  withOptions,
} from '../runtime/settings/settings.ts'
import { hostNames, origin, places } from '../runtime/settings/textTypes.ts'
import {
  verificationConflicts,
  verificationOptions,
  verificationSettings,
} from '../runtime/settings/verificationSettings.ts'

/** The names of this machine, also for itself. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export const serverSettings = Type.Object({
  ...listenSettings,
  IDLE_TIMEOUT_S: Type.Integer({
    minimum: 1,
    maximum: 240,
    default: 75,
    description:
      'how long a connection without a request stays open, at least: longer than a load balancer in front keeps it, which is 60 s with most',
  }),
  ...chainSettings,
  RPC_TIMEOUT_MS: callSettings.RPC_TIMEOUT_MS,
  REQUEST_DEADLINE_MS: Type.Integer({
    minimum: 1,
    maximum: MAX_TIMER_MS,
    default: 10_000,
    description: 'timeout of a request, including all attempts',
  }),
  RPC_RETRY_AFTER_MAX_MS: callSettings.RPC_RETRY_AFTER_MAX_MS,
  RPC_CONCURRENCY: callSettings.RPC_CONCURRENCY,
  MAX_STALENESS_MS: Type.Integer({
    minimum: 0,
    maximum: MAX_TIMER_MS,
    default: 0,
    description: 'maximum age of a cached state root; older ones are fetched again',
  }),
  ...verificationSettings,
  CACHE_MAX_AGE_S: Type.Integer({
    minimum: 0,
    maximum: 31_536_000,
    default: 0,
    description:
      'how long caches (browsers, a CDN) may reuse answers of the chain and of the catalog; with 0 they revalidate each time',
  }),
  HISTORY_CACHE_MB: Type.Integer({
    minimum: 1,
    maximum: 65_535,
    default: 64,
    description: 'memory for cached histories; 100,000 values of a feed take about 25 MB',
  }),
  STREAM_POLL_MS: Type.Integer({
    minimum: 1,
    maximum: MAX_TIMER_MS,
    default: 1_000,
    description: 'interval between polls of the newest state root while streams are open',
  }),
  MAX_STREAMS: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 10_000,
    description: 'maximum number of open streams; each takes an open file',
  }),
  MCP_ALLOWED_HOSTS: hostNames({
    default: loopbackHosts.join(','),
    description:
      'host names, without ports, that POST /mcp allows in Host: those that clients reach this server by',
  }),
  MCP_ALLOWED_ORIGINS: hostNames({
    default: loopbackHosts.join(','),
    description: 'host names, without ports, of the pages that may use POST /mcp',
  }),
  DATASETS: Type.Optional(
    places({
      description:
        'folders or URLs of snapshots of datasets, comma-separated, for the endpoints of series; each has a folder for each feed, by its id in lower case',
    }),
  ),
  PUBLIC_URL: Type.Optional(
    origin({
      description:
        'origin under which people reach this server, for the absolute addresses in its sitemap, Atom feed, oEmbed and previews; without it those answer 404',
    }),
  ),
  NOTICE: Type.Optional(
    Type.String({
      maxLength: 200,
      error: 'a text of at most 200 characters',
      description:
        'notice above every page of the explorer and the documentation, such as for test data; none if unset',
    }),
  ),
  ...logSettings,
})

const {
  RPC_TIMEOUT_MS,
  REQUEST_DEADLINE_MS,
  RPC_RETRY_AFTER_MAX_MS,
  RPC_CONCURRENCY,
  MAX_STALENESS_MS,
  HISTORY_CACHE_MB,
  DATASETS,
} = serverSettings.properties

/** The settings of `mcp`, which answers one client on this machine. */
export const mcpSettings = Type.Object({
  ...chainSettings,
  RPC_TIMEOUT_MS,
  REQUEST_DEADLINE_MS,
  RPC_RETRY_AFTER_MAX_MS,
  RPC_CONCURRENCY,
  MAX_STALENESS_MS,
  ...verificationSettings,
  TRUSTED_BLOCK_HASH: withOptions(verificationSettings.TRUSTED_BLOCK_HASH, {
    description:
      'hash of a switch block that you trust: verify_claim proves values from it, and VERIFY=full every answer',
  }),
  HISTORY_CACHE_MB,
  DATASETS,
  ...logSettings,
})

const clientOptions = (settings: SettingValues<typeof mcpSettings.properties>) => ({
  ...chainOptions(settings),
  ...callOptions(settings),
  deadlineMs: settings.REQUEST_DEADLINE_MS,
  maxStalenessMs: settings.MAX_STALENESS_MS,
  ...verificationOptions(settings),
})

/** Lists the conflicts of {@link mcpSettings}. TRUSTED_BLOCK_HASH has an effect at any level: `verify_claim` uses it. */
const mcpConflicts: typeof verificationConflicts = (settings) =>
  verificationConflicts(settings.VERIFY === 'full' ? settings : { ...settings, TRUSTED_BLOCK_HASH: null })

/** Reads the settings of `mcp`. @throws {SettingsError} with every fault. */
export function readMcpSettings(environment: Environment) {
  const settings = parseSettings(mcpSettings, environment, {
    conflicts: (values) => [...authorizationConflicts(values), ...mcpConflicts(values)],
  })
  return {
    client: clientOptions(settings),
    historyCacheMb: settings.HISTORY_CACHE_MB,
    datasets: settings.DATASETS ?? [],
    logLevel: settings.LOG_LEVEL,
  }
}

export type ServerSettings = ReturnType<typeof readServerSettings>

/**
 * Reads the settings from the environment. An empty variable counts as unset.
 *
 * @throws {SettingsError} with every fault. It does not quote values that may contain a password.
 */
export function readServerSettings(environment: Environment) {
  const settings = parseSettings(serverSettings, environment, {
    conflicts: (values) => [...authorizationConflicts(values), ...verificationConflicts(values)],
  })
  return {
    /** 0 uses any free port. */
    port: settings.PORT,
    host: settings.HOST,
    idleTimeoutS: settings.IDLE_TIMEOUT_S,
    client: clientOptions(settings),
    cacheMaxAgeS: settings.CACHE_MAX_AGE_S,
    historyCacheMb: settings.HISTORY_CACHE_MB,
    datasets: settings.DATASETS ?? [],
    notice: settings.NOTICE,
    publicUrl: settings.PUBLIC_URL,
    streamPollMs: settings.STREAM_POLL_MS,
    maxStreams: settings.MAX_STREAMS,
    mcp: { allowedHosts: settings.MCP_ALLOWED_HOSTS, allowedOrigins: settings.MCP_ALLOWED_ORIGINS },
    logLevel: settings.LOG_LEVEL,
  }
}

export const settingsHelp = `
Settings, all optional, from the environment:
${formatSettings(serverSettings)}

The defaults read the public test network. The log goes to standard error: lines of text on a terminal, else one JSON object per line.`
