import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { authorizationSecrets, urlSecrets } from '@wattfeed/base'
import { MAX_LOOK_BACK } from '../../feeds/file/feedConfig.ts'
import { logSettings } from '../../runtime/log.ts'
import { authorizationConflicts, callOptions, chainOptions } from '../../runtime/settings/chainSettings.ts'
import { listenSettings } from '../../runtime/settings/listenSettings.ts'
import {
  type Environment,
  parseSettings,
  type Settings,
  withOptions,
} from '../../runtime/settings/settings.ts'
import { hostAndPort, httpUrl, path, word } from '../../runtime/settings/textTypes.ts'
import {
  verificationConflicts,
  verificationOptions,
  verificationSettings,
} from '../../runtime/settings/verificationSettings.ts'
import { attesterSettings, DEADLINE_TIMEOUTS, senderNames, senderSettings } from './attesterSettings.ts'

/** Maximum number of missed periods of a feed that a cycle attests. */
const MAX_CATCH_UP = 100

export const agentSettings = Type.Object({
  EIA_API_KEY: Type.Optional(
    word('a key', {
      description: "key for EIA's API, free at https://www.eia.gov/opendata/register.php",
      needed: { when: 'to query EIA', why: 'it is free at https://www.eia.gov/opendata/register.php' },
      isSecret: true,
    }),
  ),
  ...senderSettings,
  EIA_BASE_URL: httpUrl({
    description: 'URL of the API',
    default: 'https://api.eia.gov',
  }),
  EIA_RPS: Type.Number({
    exclusiveMinimum: 0,
    // EIA allows fewer than five requests per second.
    maximum: 1_000,
    default: 4,
    description: 'requests per second to EIA, which suspends keys that send 5',
  }),
  FEEDS_FILE: Type.Optional(
    path({ description: 'the feeds file', defaultText: 'the feeds that come with wattfeed' }),
  ),
  CATCH_UP: Type.Integer({
    minimum: 0,
    maximum: MAX_CATCH_UP,
    default: MAX_CATCH_UP,
    description: 'how many missed periods of a feed a cycle attests before the newest one; 0 for none',
  }),
  LOOK_BACK: Type.Integer({
    minimum: 0,
    maximum: MAX_LOOK_BACK,
    default: 0,
    description:
      "how many periods before the chain's newest are compared with EIA, and attested again if EIA has revised them; a feed's look_back overrides it",
  }),
  ARCHIVE_FILE: Type.Optional(
    path({
      description: 'SQLite database that stores the hashed source of each attested value',
      defaultText: 'nothing is archived',
    }),
  ),
  DATASETS_DIR: Type.Optional(
    path({
      description:
        'folder for snapshots of datasets, about 350 bytes a value each, in a folder for each feed',
      defaultText: '`datasets` in AGENT_STATE_DIR',
    }),
  ),
  KEEP_SNAPSHOTS: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 2,
    description: 'how many snapshots of each dataset stay there; older ones are removed',
  }),
  ...attesterSettings,
  AGENT_HOST: withOptions(listenSettings.HOST, {
    description: 'address to listen on for /metrics and /health',
    // Only this machine needs it, and its reasons contain feeds and errors.
    default: '127.0.0.1',
  }),
  AGENT_PORT: withOptions(listenSettings.PORT, { default: 4031 }),
  COMMITTEE_PEERS: Type.Optional(
    path({
      description: 'members file of the committee that signs together, with an address for each member',
      defaultText: 'the key signs alone',
    }),
  ),
  COMMITTEE_LISTEN: hostAndPort({
    description: 'host:port to listen on for the other members; put TLS in front',
    default: '127.0.0.1:4032',
  }),
  ...logSettings,
  ...verificationSettings,
})

/** The checked settings of the agent and the feeds commands. A key is null if it is neither set nor needed. */
export type AgentSettings = ReturnType<typeof readAgentSettings>

/** What a command does, so that it cannot do without some settings. */
export interface AgentNeeds {
  /** Sends transactions: node, chain, registries and key have no default. */
  writes: boolean
  /** Sends requests to EIA: its key has no default. */
  fetches: boolean
}

/**
 * Reads the settings.
 *
 * @param shown the settings in the command's help; the others keep their defaults.
 * @throws {SettingsError} with every fault.
 */
export function readAgentSettings(
  environment: Environment,
  { writes, fetches }: AgentNeeds,
  shown: Settings = agentSettings,
) {
  const settings = parseSettings(agentSettings, environment, {
    needed: [...(fetches ? (['EIA_API_KEY'] as const) : []), ...(writes ? senderNames : [])],
    shown,
    conflicts: (values) => [...authorizationConflicts(values), ...verificationConflicts(values)],
  })
  return {
    apiKey: settings.EIA_API_KEY,
    eiaBaseUrl: settings.EIA_BASE_URL,
    eiaRequestsPerSecond: settings.EIA_RPS,
    feedsFile: settings.FEEDS_FILE,
    catchUp: settings.CATCH_UP,
    lookBack: settings.LOOK_BACK,
    archiveFile: settings.ARCHIVE_FILE,
    datasetsDir: settings.DATASETS_DIR ?? join(settings.AGENT_STATE_DIR, 'datasets'),
    keepSnapshots: settings.KEEP_SNAPSHOTS,
    keyPath: settings.ATTESTER_KEY_PATH,
    ...chainOptions(settings),
    ...callOptions(settings),
    /** Time limit of a call with all its attempts, in milliseconds. */
    deadlineMs: DEADLINE_TIMEOUTS * settings.RPC_TIMEOUT_MS,
    stateDir: settings.AGENT_STATE_DIR,
    paymentMotes: settings.PAYMENT_MOTES,
    account: settings.ATTESTER_ACCOUNT,
    transactionTtlMs: settings.TRANSACTION_TTL_MS,
    gasPriceTolerance: settings.GAS_PRICE_TOLERANCE,
    host: settings.AGENT_HOST,
    port: settings.AGENT_PORT,
    committeePeers: settings.COMMITTEE_PEERS,
    committeeListen: settings.COMMITTEE_LISTEN,
    logLevel: settings.LOG_LEVEL,
    ...verificationOptions(settings),
  }
}

export const agentSecrets = ({ apiKey, eiaBaseUrl, rpcUrls, rpcAuthorization }: AgentSettings): string[] => [
  ...(apiKey === null ? [] : [apiKey]),
  ...[eiaBaseUrl, ...rpcUrls].flatMap(urlSecrets),
  ...Object.values(rpcAuthorization ?? {}).flatMap(authorizationSecrets),
]
