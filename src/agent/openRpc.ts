import { createRpc, type Rpc } from '../casper/rpc.ts'
import type { Platform } from './loop/platform.ts'
import type { AgentSettings } from './settings/agentSettings.ts'

const MAX_BODY_BYTES = 10 * 1024 * 1024

type NodeSettings = Pick<AgentSettings, 'rpcUrls' | 'chainName' | 'timeoutMs' | 'deadlineMs' | 'concurrency'>

/** Calls to the nodes of the settings. Nothing is asked of them yet. */
export function openRpc(settings: NodeSettings, { fetch, now }: Pick<Platform, 'fetch' | 'now'>): Rpc {
  const { rpcUrls, chainName, timeoutMs, deadlineMs, concurrency } = settings
  const limits = { timeoutMs, deadlineMs, concurrency, maxBodyBytes: MAX_BODY_BYTES }
  return createRpc({ urls: rpcUrls, chainName, ...limits, fetch, now, onCall: () => {} })
}
