import { urlSecrets } from '../../bytes/redact.ts'
import type { AgentSettings } from './agentSettings.ts'

/** Everything in the settings that nobody may be told. */
export const agentSecrets = ({ apiKey, eiaBaseUrl, rpcUrls }: AgentSettings): string[] => [
  ...(apiKey === null ? [] : [apiKey]),
  ...[eiaBaseUrl, ...rpcUrls].flatMap(urlSecrets),
]
