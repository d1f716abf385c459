import { Type } from '@sinclair/typebox'
import { agentSettings } from '../agent/settings/agentSettings.ts'
import { chainSettings } from '../runtime/chainSettings.ts'
import { withOptions } from '../runtime/settings.ts'
import { verificationSettings } from '../runtime/verificationSettings.ts'

const { EIA_API_KEY, EIA_BASE_URL, EIA_RPS, RPC_TIMEOUT_MS, RPC_RETRY_AFTER_MAX_MS, RPC_CONCURRENCY } =
  agentSettings.properties

export const exportSettings = Type.Object({
  ...chainSettings,
  RPC_TIMEOUT_MS,
  RPC_RETRY_AFTER_MAX_MS,
  RPC_CONCURRENCY,
  ...verificationSettings,
})

export const provenanceSettings = Type.Object({
  EIA_API_KEY: withOptions(EIA_API_KEY, { needed: { ...EIA_API_KEY.needed, when: 'without --row' } }),
  EIA_BASE_URL,
  EIA_RPS,
  ...exportSettings.properties,
})
