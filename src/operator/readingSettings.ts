import { agentSettings } from '../agent/settings/agentSettings.ts'
import { chainSettings } from '../runtime/chainSettings.ts'
import { verificationSettings } from '../runtime/verificationSettings.ts'

const { apiKey, eiaBaseUrl, eiaRequestsPerSecond, timeoutMs, retryAfterMaxMs, concurrency } = agentSettings

/** The settings of `export`. */
export const exportSettings = {
  ...chainSettings,
  timeoutMs,
  retryAfterMaxMs,
  concurrency,
  ...verificationSettings,
} as const

/** The settings of `provenance`. */
export const provenanceSettings = {
  apiKey: { ...apiKey, needed: { ...apiKey.needed, when: 'without --row' } },
  eiaBaseUrl,
  eiaRequestsPerSecond,
  ...exportSettings,
} as const
