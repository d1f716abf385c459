import { createRpc, type Rpc } from '../casper/rpc/rpc.ts'
import type { Platform } from './loop/platform.ts'
import type { AgentSettings } from './settings/agentSettings.ts'

type NodeSettings = Pick<
  AgentSettings,
  'rpcUrls' | 'chainName' | 'timeoutMs' | 'deadlineMs' | 'concurrency' | 'retryAfterMaxMs'
>

/** Calls to the nodes of the settings. Nothing is asked of them yet. */
export function openRpc(settings: NodeSettings, { fetch }: Pick<Platform, 'fetch'>): Rpc {
  const { rpcUrls, chainName, timeoutMs, deadlineMs, concurrency, retryAfterMaxMs } = settings
  const limits = { timeoutMs, deadlineMs, concurrency, retryAfterMaxMs }
  return createRpc({ urls: rpcUrls, chainName, ...limits, fetch, onCall: () => {} })
}
