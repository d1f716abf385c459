import { MAX_TIMER_MS } from '../client/argument.ts'
import { type ClientOptions, casperTest } from '../client/index.ts'
import { chainSettings } from '../runtime/chainSettings.ts'
import { type LogLevel, logLevelSetting } from '../runtime/log.ts'
import { integer, word } from '../runtime/parsers.ts'
import { createSettingsReader, type Environment } from '../runtime/settings.ts'
import { readVerificationSettings, type VerificationSettings } from '../runtime/verificationSettings.ts'

/** Everything that can be set from outside, checked. */
export interface Config {
  /** 0 takes a free one. */
  port: number
  host: string
  client: Required<Omit<ClientOptions, 'fetch' | 'observe' | keyof VerificationSettings>> &
    VerificationSettings
  logLevel: LogLevel
}

const milliseconds = (min: number) => integer(min, MAX_TIMER_MS)

/**
 * Reads the settings from the environment. An empty one is as good as none.
 *
 * @throws {SettingsError} naming every fault, without repeating what may hold a password.
 *
 * @example
 * ```ts
 * const config = readConfig(process.env)
 * ```
 */
export function readConfig(environment: Environment): Config {
  const reader = createSettingsReader(environment)
  const { rpcUrls, chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = chainSettings
  const config: Config = {
    port: reader.optional({ name: 'PORT', parse: integer(0, 65_535) }, 4030),
    host: reader.optional({ name: 'HOST', parse: word('an address or host name') }, '0.0.0.0'),
    client: {
      rpcUrls: reader.optional(rpcUrls, casperTest.rpcUrls),
      chainName: reader.optional(chainName, casperTest.chainName),
      feedRegistryPackageHash: reader.optional(feedRegistryPackageHash, casperTest.feedRegistryPackageHash),
      attestationRegistryPackageHash: reader.optional(
        attestationRegistryPackageHash,
        casperTest.attestationRegistryPackageHash,
      ),
      timeoutMs: reader.optional(chainSettings.timeoutMs, 4_000),
      deadlineMs: reader.optional({ name: 'REQUEST_DEADLINE_MS', parse: milliseconds(1) }, 10_000),
      retryAfterMaxMs: reader.optional(chainSettings.retryAfterMaxMs, 30_000),
      concurrency: reader.optional(chainSettings.concurrency, 128),
      maxStalenessMs: reader.optional({ name: 'MAX_STALENESS_MS', parse: milliseconds(0) }, 0),
      ...readVerificationSettings(reader),
    },
    logLevel: reader.optional(logLevelSetting, 'info'),
  }
  reader.end()
  return config
}
