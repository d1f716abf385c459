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
import type { EiaSettings } from '../runtime/settings/eiaSettings.ts'
import { clientOptions, DEADLINE_TIMEOUTS, type ReaderSettings } from '../runtime/settings/readerSettings.ts'

/** Creates a client of the registries, verified as the settings say. No node is called yet. */
export function openClient(settings: ReaderSettings): Client {
  return connect(clientOptions(settings)).client
}

/** Least timeout of a check, as in `createClient`. */
const MIN_CHECK_MS = 4_000

/** Creates a chain whose blocks prove what is exported. No node is called yet. */
export function openVerifiedChain(settings: ReaderSettings, rpc: Rpc): VerifiedChain {
  return createVerifiedChain({
    ...clientOptions(settings),
    rpc,
    trustedBlockHash: settings.trustedBlockHash,
    maxCheckMs: Math.max(MIN_CHECK_MS, settings.rpcTimeoutMs),
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
export function openEia({ eiaApiKey, eiaBaseUrl, eiaRps }: EiaSettings): EiaClient | null {
  if (eiaApiKey === null) return null
  return createEiaClient({
    baseUrl: eiaBaseUrl,
    apiKey: eiaApiKey,
    requestsPerSecond: eiaRps,
    giveUpAfterMs: MAX_THROTTLE_MS,
  })
}

/** A node returns an installation with its megabyte of wasm in hex. */
const MAX_BODY_BYTES = 32 * 1024 * 1024

type NodeSettings = Pick<
  ReaderSettings,
  'casperRpcUrl' | 'casperChainName' | 'rpcTimeoutMs' | 'rpcConcurrency'
> &
  Partial<Pick<ReaderSettings, 'casperRpcAuthorization' | 'rpcRetryAfterMaxMs'>>

export function openRpc(settings: NodeSettings): Rpc {
  return createRpc({
    urls: settings.casperRpcUrl,
    authorization: settings.casperRpcAuthorization ?? undefined,
    chainName: settings.casperChainName,
    fetch: (url, init) => fetch(url, init),
    timeoutMs: settings.rpcTimeoutMs,
    deadlineMs: DEADLINE_TIMEOUTS * settings.rpcTimeoutMs,
    concurrency: settings.rpcConcurrency,
    maxBodyBytes: MAX_BODY_BYTES,
    retryAfterMaxMs: settings.rpcRetryAfterMaxMs,
    onCall: () => {},
  })
}
