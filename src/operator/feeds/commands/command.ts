import { fileURLToPath } from 'node:url'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { type Client, createClient } from '../../../client/createClient.ts'
import { createEiaClient, type EiaClient } from '../../../eia/createEiaClient.ts'
import { MAX_THROTTLE_MS } from '../../../eia/throttle.ts'
import { isFromSource } from '../../../runtime/isFromSource.ts'
import type { VerificationSettings } from '../../../runtime/verificationSettings.ts'
import { NewFeedError } from '../choose.ts'

/** The result of a command. */
export interface Outcome {
  /** What `--json` prints. */
  report: object
  /** The same for people. */
  text: string
  exitCode: number
}

/** Receives what happens while a command runs. */
export interface Listener {
  /** Called with a warning for people. */
  warn: (message: string) => void
  /** Called with a line of progress. */
  progress: (line: string) => void
  /** Called with a line of progress that is shown also where there is no terminal. */
  milestone: (line: string) => void
}

/** Where the built-in feeds are. */
const builtIn = isFromSource
  ? fileURLToPath(new URL('../../../catalog/feeds.json', import.meta.url))
  : 'the feeds inside wattfeed'

/** Returns the path of the feeds file in use: `FEEDS_FILE`, else the built-in one. */
export const feedsPath = (feedsFile: string | null): string => feedsFile ?? builtIn

/**
 * Returns the path of the feeds file that a feed can be added to.
 *
 * @throws {NewFeedError} without `FEEDS_FILE` in a bundle, whose built-in feeds are read-only.
 */
export function writableFeedsPath(feedsFile: string | null): string {
  if (feedsFile === null && !isFromSource)
    throw new NewFeedError(
      'feeds_file',
      'FEEDS_FILE is not set, and the feeds inside wattfeed are read-only; set it to a file of your own, which is created if missing',
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

/** Creates a client of the registries, verified as the settings say. No node is called yet. */
export function openClient(settings: ChainSettings): Client {
  return createClient({ ...settings })
}

/** Creates a client of EIA's API; null without a key. */
export function openEia({ apiKey, eiaBaseUrl, eiaRequestsPerSecond }: AgentSettings): EiaClient | null {
  if (apiKey === null) return null
  return createEiaClient({
    baseUrl: eiaBaseUrl,
    apiKey,
    requestsPerSecond: eiaRequestsPerSecond,
    giveUpAfterMs: MAX_THROTTLE_MS,
  })
}
