import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { type Client, createClient } from '../../../client/createClient.ts'
import type { VerificationSettings } from '../../../runtime/verificationSettings.ts'

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
