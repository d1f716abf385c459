import { MAX_TIMER_MS } from '../client/argument.ts'
import type { ClientOptions } from '../client/index.ts'
import { callSettings, chainSettings } from '../runtime/chainSettings.ts'
import { formatSettings } from '../runtime/formatSettings.ts'
import { listenSettings } from '../runtime/listenSettings.ts'
import { type LogLevel, logLevelSetting } from '../runtime/log.ts'
import { integer, parser } from '../runtime/parsers.ts'
import { createSettingsReader, type Environment } from '../runtime/settings.ts'
import {
  readVerificationSettings,
  type VerificationSettings,
  verificationSettings,
} from '../runtime/verificationSettings.ts'

/** The checked settings. */
export interface ServerSettings {
  /** 0 takes a free one. */
  port: number
  host: string
  client: Required<Omit<ClientOptions, 'fetch' | 'observe' | keyof VerificationSettings>> &
    VerificationSettings
  cacheMaxAgeS: number
  /** What is remembered of the feeds' past. */
  historyCacheMb: number
  notice: string | null
  streamPollMs: number
  maxStreams: number
  logLevel: LogLevel
}

const clientSettings = {
  ...chainSettings,
  timeoutMs: callSettings.timeoutMs,
  deadlineMs: {
    name: 'REQUEST_DEADLINE_MS',
    meaning: 'for one request with all its attempts',
    parse: integer(1, MAX_TIMER_MS),
    default: 10_000,
  },
  retryAfterMaxMs: callSettings.retryAfterMaxMs,
  concurrency: callSettings.concurrency,
  maxStalenessMs: {
    name: 'MAX_STALENESS_MS',
    meaning: 'how old a state root may be for a request to use it without asking again',
    parse: integer(0, MAX_TIMER_MS),
    default: 0,
  },
} as const

const answerSettings = {
  cacheMaxAgeS: {
    name: 'CACHE_MAX_AGE_S',
    meaning:
      'how long caches (browsers, a CDN) may keep answers of the chain and of the catalog; 0: they ask every time',
    parse: integer(0, 31_536_000),
    default: 0,
  },
  historyCacheMb: {
    name: 'HISTORY_CACHE_MB',
    meaning: "memory for the feeds' past; a feed takes some 25 MB for 100,000 values",
    parse: integer(1, 65_535),
    default: 64,
  },
} as const

const pageSettings = {
  notice: {
    name: 'NOTICE',
    meaning: 'a line above every page of the explorer, for a server of test data; none if unset',
    parse: parser('a text of 200 characters at most', (text) => (text.length <= 200 ? text : undefined)),
    default: null,
  },
} as const

const streamSettings = {
  streamPollMs: {
    name: 'STREAM_POLL_MS',
    meaning: 'how often the newest state root is asked for while somebody listens to the stream',
    parse: integer(1, MAX_TIMER_MS),
    default: 1_000,
  },
  maxStreams: {
    name: 'MAX_STREAMS',
    meaning: 'streams held at once; each takes an open file',
    parse: integer(1, 1_000_000),
    default: 10_000,
  },
} as const

/** The server's settings. */
export const serverSettings = {
  ...listenSettings,
  ...clientSettings,
  ...verificationSettings,
  ...answerSettings,
  ...streamSettings,
  ...pageSettings,
  logLevel: logLevelSetting,
} as const

/**
 * Reads the settings from the environment. An empty one counts as unset.
 *
 * @throws {SettingsError} naming every fault, without quoting values that may hold a password.
 *
 * @example
 * ```ts
 * const settings = readServerSettings(process.env)
 * ```
 */
export function readServerSettings(environment: Environment): ServerSettings {
  const reader = createSettingsReader(environment, serverSettings)
  const settings: ServerSettings = {
    ...reader.readAll(listenSettings),
    client: { ...reader.readAll(clientSettings), ...readVerificationSettings(reader) },
    ...reader.readAll(answerSettings),
    ...reader.readAll(streamSettings),
    ...reader.readAll(pageSettings),
    logLevel: reader.read(logLevelSetting),
  }
  reader.end()
  return settings
}

/** The settings for the help text. */
export const settingsHelp = `
Settings, all optional, from the environment:
${formatSettings(serverSettings)}

The defaults read the public test network. The log goes to standard error, a JSON object a line.`
