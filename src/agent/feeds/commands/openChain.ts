import { createRpc, type Rpc } from '../../../casper/rpc.ts'
import { type Client, createClient } from '../../../client/createClient.ts'
import type { AgentSettings } from '../../settings/agentSettings.ts'

type ChainSettings = Pick<
  AgentSettings,
  | 'rpcUrls'
  | 'chainName'
  | 'feedRegistryPackageHash'
  | 'attestationRegistryPackageHash'
  | 'timeoutMs'
  | 'deadlineMs'
  | 'concurrency'
>

/** Reads the registries. Nothing is asked of a node yet. */
export function openClient(settings: ChainSettings): Client {
  const { rpcUrls, chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = settings
  const { timeoutMs, deadlineMs, concurrency } = settings
  return createClient({
    rpcUrls,
    chainName,
    feedRegistryPackageHash,
    attestationRegistryPackageHash,
    timeoutMs,
    deadlineMs,
    concurrency,
  })
}

const MAX_BODY_BYTES = 10 * 1024 * 1024

/** Calls to the nodes of the settings. */
export function openRpc({ rpcUrls, chainName, timeoutMs, deadlineMs, concurrency }: ChainSettings): Rpc {
  return createRpc({
    urls: rpcUrls,
    chainName,
    fetch: (url, init) => fetch(url, init),
    timeoutMs,
    deadlineMs,
    concurrency,
    maxBodyBytes: MAX_BODY_BYTES,
    now: Date.now,
    onCall: () => {},
  })
}
