import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { createEiaClient, type EiaClient } from '../../../eia/createEiaClient.ts'

/** A client of EIA's API, or null without a key. */
export function openEia({ apiKey, eiaBaseUrl, eiaRequestsPerSecond }: AgentSettings): EiaClient | null {
  if (apiKey === null) return null
  return createEiaClient({ baseUrl: eiaBaseUrl, apiKey, requestsPerSecond: eiaRequestsPerSecond })
}
