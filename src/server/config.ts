import { type ClientOptions, casperTest } from '../client/index.ts'
import { WattfeedError } from '../errors.ts'
import { type LogLevel, logLevels } from './log.ts'

/** Everything that can be set from outside, checked. */
export interface Config {
  /** 0 takes a free one. */
  port: number
  host: string
  client: Required<Omit<ClientOptions, 'fetch' | 'observe'>>
  logLevel: LogLevel
}

/** Settings that break their rules: all of them, a line each. */
export class ConfigError extends WattfeedError {
  readonly code = 'config'
  readonly retryable = false

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'))
  }
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A setting's value, or what it must be. */
type Parsed<T> = { value: T } | { rule: string }

interface Setting<T> {
  fallback: T
  parse: (text: string) => Parsed<T>
  /** Its value may hold a password, and is not repeated. */
  secret?: boolean
}

// The longest that a timer takes.
const MAX_MS = 2 ** 31 - 1

/**
 * Reads the settings from the environment. An empty one is as good as none.
 *
 * @throws {ConfigError} naming every fault, without repeating what may hold a password.
 *
 * @example
 * ```ts
 * const config = readConfig(process.env)
 * ```
 */
export function readConfig(environment: Environment): Config {
  const faults: string[] = []
  const read = <T>(name: string, { fallback, parse, secret = false }: Setting<T>): T => {
    const text = environment[name]?.trim() ?? ''
    if (text === '') return fallback
    const parsed = parse(text)
    if ('value' in parsed) return parsed.value
    faults.push(
      `${name} ${secret ? '' : `is ${JSON.stringify(text)}: it `}must be ${parsed.rule}; unset it for ${fallback}`,
    )
    return fallback
  }
  const config: Config = {
    port: read('PORT', integer(4030, 0, 65_535)),
    host: read('HOST', word('0.0.0.0', 'an address or host name')),
    client: {
      rpcUrls: read('CASPER_RPC_URL', { fallback: casperTest.rpcUrls, parse: parseUrls, secret: true }),
      chainName: read('CASPER_CHAIN_NAME', word(casperTest.chainName, 'a chain name')),
      feedRegistryPackageHash: read('FEED_REGISTRY_PACKAGE_HASH', hash(casperTest.feedRegistryPackageHash)),
      attestationRegistryPackageHash: read(
        'ATTESTATION_REGISTRY_PACKAGE_HASH',
        hash(casperTest.attestationRegistryPackageHash),
      ),
      timeoutMs: read('RPC_TIMEOUT_MS', integer(4_000, 1, MAX_MS)),
      deadlineMs: read('REQUEST_DEADLINE_MS', integer(10_000, 1, MAX_MS)),
      concurrency: read('RPC_CONCURRENCY', integer(128, 1, 65_535)),
      maxStalenessMs: read('MAX_STALENESS_MS', integer(0, 0, MAX_MS)),
    },
    logLevel: read('LOG_LEVEL', oneOf(logLevels, 'info')),
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

function integer(fallback: number, min: number, max: number): Setting<number> {
  const rule = `a whole number from ${min} to ${max}`
  const parse = (text: string): Parsed<number> => {
    const value = Number(text)
    return /^[0-9]{1,10}$/.test(text) && value >= min && value <= max ? { value } : { rule }
  }
  return { fallback, parse }
}

const word = (fallback: string, what: string): Setting<string> => ({
  fallback,
  parse: (text) => (/^\S+$/.test(text) ? { value: text } : { rule: `${what} without spaces` }),
})

const hash = (fallback: string): Setting<string> => ({
  fallback,
  parse: (text) => {
    const digits = /^(?:hash-)?([0-9a-f]{64})$/i.exec(text)?.[1]
    return digits === undefined
      ? { rule: 'a package hash: 64 hex digits, with or without "hash-" before them' }
      : { value: digits.toLowerCase() }
  },
})

const oneOf = <T extends string>(values: readonly T[], fallback: T): Setting<T> => ({
  fallback,
  parse: (text) => {
    const value = values.find((candidate) => candidate === text)
    return value === undefined ? { rule: `one of ${values.join(', ')}` } : { value }
  },
})

function parseUrls(text: string): Parsed<readonly string[]> {
  const urls = text.split(',').map((url) => url.trim())
  const wrong = urls.findIndex((url) => !isHttpUrl(url))
  if (wrong === -1) return { value: urls }
  return {
    rule: `one URL or several, comma-separated, that begin with http:// or https:// (number ${wrong + 1} of ${urls.length} is none; not shown, it may hold a password)`,
  }
}

const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)
