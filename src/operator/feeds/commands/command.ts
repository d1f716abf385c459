import { fileURLToPath } from 'node:url'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { type Client, createClient } from '../../../client/createClient.ts'
import { createEiaClient, type EiaClient } from '../../../eia/createEiaClient.ts'
import type { VerificationSettings } from '../../../runtime/verificationSettings.ts'
import { NewFeedError } from '../choose.ts'

/** What a command found out or did. */
export interface Outcome {
  /** What `--json` prints. */
  report: object
  /** The same for people. */
  text: string
  exitCode: number
}

/** Who is told what happens on the way. */
export interface Listener {
  /** Told what a person should know. */
  warn: (message: string) => void
  /** Told, a line at a time, how far long work has got. */
  progress: (line: string) => void
}

/** Where the built-in feeds stand. */
const builtIn = Bun.isStandaloneExecutable
  ? 'the feeds inside wattfeed'
  : fileURLToPath(new URL('../../../agent/feeds.json', import.meta.url))

/** Path of the feeds file in use: `FEEDS_FILE`, else the built-in one. */
export const feedsPath = (feedsFile: string | null): string => feedsFile ?? builtIn

/**
 * Path of the feeds file that a feed can be added to.
 *
 * @throws {NewFeedError} without `FEEDS_FILE` in a compiled binary, whose own feeds cannot be written.
 */
export function writableFeedsPath(feedsFile: string | null): string {
  if (feedsFile === null && Bun.isStandaloneExecutable)
    throw new NewFeedError(
      'feeds_file',
      'FEEDS_FILE is not set, and the feeds inside wattfeed stay as they are; set it to a file of your own, which is made where there is none',
    )
  return feedsPath(feedsFile)
}

type ChainSettings = Pick<
  AgentSettings,
  | 'rpcUrls'
  | 'chainName'
  | 'feedRegistryPackageHash'
  | 'attestationRegistryPackageHash'
  | 'timeoutMs'
  | 'deadlineMs'
  | 'concurrency'
> &
  Partial<VerificationSettings>

/** Reads the registries, verified as the settings say. Nothing is asked of a node yet. */
export function openClient(settings: ChainSettings): Client {
  return createClient({ ...settings })
}

/** A client of EIA's API, or null without a key. */
export function openEia({ apiKey, eiaBaseUrl, eiaRequestsPerSecond }: AgentSettings): EiaClient | null {
  if (apiKey === null) return null
  return createEiaClient({ baseUrl: eiaBaseUrl, apiKey, requestsPerSecond: eiaRequestsPerSecond })
}
