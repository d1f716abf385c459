import { Type } from '@sinclair/typebox'
import { MAX_TIMER_MS } from 'wattfeed/internal'
import { type Log, logSettings } from '../runtime/log.ts'
import { logProtocolVersion } from '../runtime/protocolVersion.ts'
import { callSettings, chainSettings } from '../runtime/settings/chainSettings.ts'
import { formatSettings } from '../runtime/settings/formatSettings.ts'
import { listenSettings } from '../runtime/settings/listenSettings.ts'
import { clientOptions } from '../runtime/settings/readerSettings.ts'
import { type SettingValues, vary, withOptions } from '../runtime/settings/settings.ts'
import { hostNames, origin, places } from '../runtime/settings/textTypes.ts'
import {
  type VerificationSettings,
  verificationConflicts,
  verificationSettings,
} from '../runtime/settings/verificationSettings.ts'

/** The names of this machine, also for itself. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** How long a connection without a request stays open at least, in seconds, by default. */
export const IDLE_TIMEOUT_S = 75

export const serverSettings = Type.Object({
  ...listenSettings,
  IDLE_TIMEOUT_S: Type.Integer({
    minimum: 1,
    maximum: 240,
    default: IDLE_TIMEOUT_S,
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

/** The settings of `mcp`, which answers one client on this machine. */
export const mcpSettings = Type.Object({
  ...chainSettings,
  ...vary(serverSettings.properties, {
    RPC_TIMEOUT_MS: {},
    REQUEST_DEADLINE_MS: {},
    RPC_RETRY_AFTER_MAX_MS: {},
    RPC_CONCURRENCY: {},
    MAX_STALENESS_MS: {},
  }),
  ...verificationSettings,
  VERIFY: withOptions(verificationSettings.VERIFY, {
    // `verify_claim` uses TRUSTED_BLOCK_HASH at any level.
    conflicts: (settings: VerificationSettings) =>
      verificationConflicts(settings.verify === 'full' ? settings : { ...settings, trustedBlockHash: null }),
  }),
  TRUSTED_BLOCK_HASH: withOptions(verificationSettings.TRUSTED_BLOCK_HASH, {
    description:
      'hash of a switch block that you trust: verify_claim proves values from it, and VERIFY=full every answer',
  }),
  ...vary(serverSettings.properties, { HISTORY_CACHE_MB: {}, DATASETS: {} }),
  ...logSettings,
})

/** Returns the options of the client that answers requests. */
export const requestOptions = (settings: SettingValues<typeof mcpSettings.properties>, log: Log) => ({
  ...clientOptions(settings, log),
  deadlineMs: settings.requestDeadlineMs,
  maxStalenessMs: settings.maxStalenessMs,
  observe: { protocolVersion: (version: string) => logProtocolVersion(log, version) },
})

export const settingsHelp = `
Settings, all optional, from the environment:
${formatSettings(serverSettings)}

The defaults read the public test network. The log goes to standard error: lines of text on a terminal, else one JSON object per line.`
