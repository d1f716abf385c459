import { urlSecrets } from '../../bytes/redact.ts'
import { listenSettings } from '../../runtime/listenSettings.ts'
import { logLevelSetting } from '../../runtime/log.ts'
import { httpUrl, integer, path, positive, word } from '../../runtime/parsers.ts'
import { createSettingsReader, type Environment, type Settings, type Values } from '../../runtime/settings.ts'
import {
  readVerificationSettings,
  type VerificationSettings,
  verificationSettings,
} from '../../runtime/verificationSettings.ts'
import { MAX_LOOK_BACK } from '../feeds/feedConfig.ts'
import { attesterSettings, DEADLINE_TIMEOUTS, senderSettings } from './attesterSettings.ts'

/** The most missed periods that a cycle attests of a feed. */
const MAX_CATCH_UP = 100

// EIA itself asks for fewer than five a second.
const MAX_REQUESTS_PER_SECOND = 1_000
// What it serves is for this machine, and its reasons name feeds and errors.
const DEFAULT_HOST = '127.0.0.1'

const eiaKeySettings = {
  apiKey: {
    name: 'EIA_API_KEY',
    meaning: "key for EIA's API, free at https://www.eia.gov/opendata/register.php",
    parse: word('a key'),
    default: null,
    needed: { when: 'to ask EIA', why: 'it is free at https://www.eia.gov/opendata/register.php' },
    isSecret: true,
  },
} as const

/** Which periods beside the newest are attested. */
const periodSettings = {
  catchUp: {
    name: 'CATCH_UP',
    meaning: 'how many missed periods a cycle attests of a feed, before its newest one; 0 for none',
    parse: integer(0, MAX_CATCH_UP),
    default: MAX_CATCH_UP,
  },
  lookBack: {
    name: 'LOOK_BACK',
    meaning:
      "how many periods before the newest are compared with EIA, and attested again where it has revised them; a feed's look_back overrides it",
    parse: integer(0, MAX_LOOK_BACK),
    default: 0,
  },
} as const

const otherSettings = {
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
  ...periodSettings,
  archiveFile: {
    name: 'ARCHIVE_FILE',
    meaning: 'append what was hashed of each attested value to this file',
    parse: path,
    default: null,
    defaultText: 'nothing is archived',
  },
  ...attesterSettings,
  host: {
    ...listenSettings.host,
    name: 'AGENT_HOST',
    meaning: 'address to listen on for /metrics and /health',
    default: DEFAULT_HOST,
  },
  port: { ...listenSettings.port, name: 'AGENT_PORT', default: 4031 },
  logLevel: logLevelSetting,
} as const

/** The settings of the agent and of the feeds commands. */
export const agentSettings = {
  ...eiaKeySettings,
  ...senderSettings,
  ...otherSettings,
  ...verificationSettings,
} as const

/** The checked settings of the agent and the feeds commands. A key is null if it is neither set nor needed. */
export interface AgentSettings
  extends VerificationSettings,
    Values<typeof eiaKeySettings>,
    Values<typeof senderSettings>,
    Values<typeof otherSettings> {
  /** Time limit of a call with all its attempts, in milliseconds. */
  deadlineMs: number
}

/** What a command needs. */
export interface AgentNeeds {
  /** Sends transactions: node, chain, registries and key have no default. */
  writes: boolean
  /** Asks EIA: its key has no default. */
  fetches: boolean
}

/**
 * Reads the settings.
 *
 * @param shown those that the command's help shows; the others keep their defaults.
 * @throws {SettingsError} with every fault.
 *
 * @example
 * ```ts
 * const settings = readAgentSettings(process.env, { writes: true, fetches: true })
 * ```
 */
export function readAgentSettings(
  environment: Environment,
  { writes, fetches }: AgentNeeds,
  shown: Settings = agentSettings,
): AgentSettings {
  const reader = createSettingsReader(environment, shown)
  const settings = {
    ...reader.readAll(eiaKeySettings, fetches),
    ...reader.readAll(senderSettings, writes),
    ...reader.readAll(otherSettings),
    ...readVerificationSettings(reader),
  }
  reader.end()
  return { ...settings, deadlineMs: DEADLINE_TIMEOUTS * settings.timeoutMs }
}

/** Returns everything in the settings that must never be shown. */
export const agentSecrets = ({ apiKey, eiaBaseUrl, rpcUrls }: AgentSettings): string[] => [
  ...(apiKey === null ? [] : [apiKey]),
  ...[eiaBaseUrl, ...rpcUrls].flatMap(urlSecrets),
]
