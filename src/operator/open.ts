import { createRpc, type Rpc } from '@wattfeed/casper'
import { createEiaClient, type EiaClient, MAX_THROTTLE_MS } from '@wattfeed/eia'
import type { Client } from 'wattfeed'
import {
  connect,
  createAbsences,
  createVerifiedChain,
  parsePackageHash,
  type VerifiedChain,
} from 'wattfeed/internal'
import type { AgentSettings } from '../agent/settings/agentSettings.ts'
import type { VerificationSettings } from '../runtime/settings/verificationSettings.ts'
import type { ContractsSettings } from './settings.ts'

type ChainSettings = Pick<
  AgentSettings,
  | 'rpcUrls'
  | 'rpcAuthorization'
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
  return connect({ ...settings }).client
}

/** Least timeout of a check, as in `createClient`. */
const MIN_CHECK_MS = 4_000

/** Creates a chain whose blocks prove what is exported. No node is called yet. */
export function openVerifiedChain(
  settings: ChainSettings & Pick<VerificationSettings, 'verify' | 'trustedBlockHash' | 'maxHeadAgeMs'>,
  rpc: Rpc,
): VerifiedChain {
  return createVerifiedChain({
    ...settings,
    rpc,
    trustedBlockHash: settings.trustedBlockHash ?? null,
    maxCheckMs: Math.max(MIN_CHECK_MS, settings.timeoutMs),
    feedRegistryPackageHash: parsePackageHash('feedRegistryPackageHash', settings.feedRegistryPackageHash),
    attestationRegistryPackageHash: parsePackageHash(
      'attestationRegistryPackageHash',
      settings.attestationRegistryPackageHash,
    ),
    absences: createAbsences(false, undefined),
    now: Date.now,
    monotonic: () => performance.now(),
  })
}

/** Creates a client of EIA; null without a key. It fails instead of waiting for longer than a minute. */
export function openEia({ apiKey, eiaBaseUrl, eiaRequestsPerSecond }: AgentSettings): EiaClient | null {
  if (apiKey === null) return null
  return createEiaClient({
    baseUrl: eiaBaseUrl,
    apiKey,
    requestsPerSecond: eiaRequestsPerSecond,
    giveUpAfterMs: MAX_THROTTLE_MS,
  })
}

/** A node returns an installation with its megabyte of wasm in hex. */
const MAX_BODY_BYTES = 32 * 1024 * 1024

type NodeSettings = Pick<ContractsSettings, 'rpcUrls' | 'chainName' | 'timeoutMs' | 'concurrency'> &
  Partial<Pick<ContractsSettings, 'rpcAuthorization' | 'retryAfterMaxMs'>>

export function openRpc(settings: NodeSettings): Rpc {
  const { rpcUrls, rpcAuthorization, chainName, timeoutMs, concurrency, retryAfterMaxMs } = settings
  return createRpc({
    urls: rpcUrls,
    authorization: rpcAuthorization,
    chainName,
    fetch: (url, init) => fetch(url, init),
    timeoutMs,
    deadlineMs: 3 * timeoutMs,
    concurrency,
    maxBodyBytes: MAX_BODY_BYTES,
    retryAfterMaxMs,
    onCall: () => {},
  })
}
