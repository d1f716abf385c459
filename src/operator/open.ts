import type { AgentSettings } from '../agent/settings/agentSettings.ts'
import { type Client, createClient } from '../client/createClient.ts'
import { createEiaClient, type EiaClient } from '../eia/createEiaClient.ts'
import { MAX_THROTTLE_MS } from '../eia/throttle.ts'
import type { VerificationSettings } from '../runtime/verificationSettings.ts'

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
