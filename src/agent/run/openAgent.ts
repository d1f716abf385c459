import { join } from 'node:path'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { createGlobalState, getStateRootHash } from '../../casper/state/globalState.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import type { Client } from '../../client/createClient.ts'
import { createEiaClient, type EiaClient } from '../../eia/createEiaClient.ts'
import { MAX_THROTTLE_MS } from '../../eia/throttle.ts'
import { createRegistryContract, type RegistryContract } from '../../registry/registryContract.ts'
import type { Log } from '../../runtime/log.ts'
import { SettingsError } from '../../runtime/settings.ts'
import { createLastPrints, type LastPrints } from '../look/lastPrints.ts'
import { createOtherWriter, type OtherWriter } from '../look/otherWriter.ts'
import { connectToBlocks, type View } from '../look/view.ts'
import type { AgentMetrics } from '../monitor/agentMetrics.ts'
import { createArchive } from '../send/archive.ts'
import { createDryRun, createOutbox, type Outbox } from '../send/createOutbox.ts'
import { type AttestingPurpose, createFeedLocks, type FeedLocks } from '../send/feedLocks.ts'
import type { OutboxStep } from '../send/outboxStep.ts'
import { openSentLog } from '../send/sentLog.ts'
import { openSettledBlocks } from '../send/settledBlocks.ts'
import type { AgentSettings } from '../settings/agentSettings.ts'

/** The platform's functions; tests replace them. */
export interface Platform {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Epoch milliseconds. */
  now: () => number
  /** Waits; aborting the signal ends it with the signal's reason. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** From 0 (included) to 1 (excluded). */
  random: () => number
  /** Milliseconds of a clock that nobody sets, from any start. @default `now` */
  steadyNow?: () => number
  /** How long to wait between two polls of a transaction, in milliseconds. @default 4_000 */
  pollMs?: number
}

export interface OpenAgentOptions {
  settings: AgentSettings
  /** Null without a key, which only a dry run can do without. */
  signer: Signer | null
  isDryRun: boolean
  /** @default 'agent' */
  purpose?: AttestingPurpose
  /** Whether the agent runs once: then it does not wait for longer than a minute when EIA asks for it. */
  isOnce: boolean
  log: Log
  /** Is told of every request to EIA, and when EIA asks to be left alone. */
  metrics: Pick<AgentMetrics, 'upstream' | 'throttled'>
  platform: Platform
  onStep?: (step: OutboxStep) => unknown
  /** Aborted to give up what is in flight: it stays on disk. */
  abandon: AbortSignal
}

/** The parts of the agent. Nothing has been requested yet. */
export interface OpenAgent {
  rpc: Rpc
  client: Client
  /** Under which its transactions are sent. */
  locks: FeedLocks
  lastPrints: LastPrints
  eia: EiaClient
  /** Reads the newest block. @throws what the client throws. */
  openView: () => Promise<View>
  /** Opens what sends; in a dry run it only checks. @throws what the client throws, and the system's error */
  openOutbox: () => Promise<Outbox>
  /** Warns of a feed, unless the same was said before. */
  warnOnce: (feedId: string, message: string) => void
  /** Logs that EIA states the configured unit of a feed, once. */
  onUnit: (feedId: string, unit: string) => void
  /** Opens what finds attestations by another program; null in a dry run. @throws the system's error */
  openOtherWriter: () => Promise<OtherWriter | null>
}

/** Connects the parts of the agent. */
export function openAgent(options: OpenAgentOptions): OpenAgent {
  const { settings, signer, isDryRun, platform, log } = options
  const { attestationRegistryPackageHash, chainName, stateDir, paymentMotes } = settings
  const { client, rpc, readBlock } = connectToBlocks({ ...settings, fetch: platform.fetch })
  const settledBlocks = openSettledBlocks(join(stateDir, 'newest.json'), log)
  const locks = createFeedLocks(stateDir, options.purpose ?? 'agent')
  // Not the client's: this one also looks the contract up at state roots that nobody has verified.
  const registry = createRegistryContract(
    createGlobalState(rpc),
    'AttestationRegistry',
    attestationRegistryPackageHash,
    platform.now,
  )
  const archive = settings.archiveFile === null ? null : createArchive(settings.archiveFile)
  const openSent = once(() => openSentLog(join(stateDir, `sent-${chainName}.jsonl`)))

  async function openView(): Promise<View> {
    // Read before the block: what another process settles meanwhile may be later than that.
    const settled = await settledBlocks.read()
    return { ...(await readBlock()), settled }
  }

  const openOutbox = once(async (): Promise<Outbox> => {
    const batch = { offersMany: await readOffersMany(rpc, registry), paymentMotes }
    if (isDryRun || signer === null) return createDryRun({ rpc, signer, ...batch })
    const { transactionTtlMs, gasPriceTolerance } = settings
    return createOutbox({
      ...platform,
      ...batch,
      rpc,
      openView,
      registry,
      signer,
      chainName,
      stateDir,
      locks,
      archive,
      settledBlocks,
      sentLog: await openSent(),
      log,
      signal: options.abandon,
      transactionTtlMs,
      gasPriceTolerance,
      observe: (step) => options.onStep?.(step),
    })
  })

  const openOtherWriter = async (): Promise<OtherWriter | null> =>
    isDryRun || signer === null
      ? null
      : createOtherWriter({
          client,
          sentLog: await openSent(),
          accountHash: signer.accountHash,
          readTime: async () => (await readBlock()).block.time,
          log,
        })
  const warnOnce = onceForEach((feed_id, message) => log.warn({ feed_id, detail: message }, 'feed warning'))
  const onUnit = onceForEach((feed_id, unit) => log.info({ feed_id, unit }, 'EIA states the configured unit'))
  const [lastPrints, eia] = [createLastPrints(), openEia(options)]
  return { rpc, client, locks, lastPrints, eia, openView, openOutbox, warnOnce, onUnit, openOtherWriter }
}

/** Opens something when it is first needed; what fails is tried again. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | null = null
  return () => {
    const opening = opened ?? open()
    opened = opening
    opening.catch(() => {
      if (opened === opening) opened = null
    })
    return opening
  }
}

/** Passes each text of a feed on once. */
function onceForEach(tell: (feedId: string, text: string) => void): (feedId: string, text: string) => void {
  const told = new Set<string>()
  return (feedId, text) => {
    if (told.size < told.add(`${feedId} ${text}`).size) tell(feedId, text)
  }
}

/** Whether the deployed AttestationRegistry offers `attest_many`. */
async function readOffersMany(rpc: Rpc, registry: RegistryContract): Promise<boolean> {
  const { hash } = await getStateRootHash(rpc)
  const { entryPoints } = await registry.at(hash)
  return entryPoints.has('attest_many')
}

function openEia({ settings, platform, metrics, log, isOnce }: OpenAgentOptions): EiaClient {
  const { apiKey } = settings
  if (apiKey === null) throw new SettingsError(['EIA_API_KEY is not set'])
  return createEiaClient({
    baseUrl: settings.eiaBaseUrl,
    apiKey,
    requestsPerSecond: settings.eiaRequestsPerSecond,
    fetch: platform.fetch,
    ...(isOnce ? { giveUpAfterMs: MAX_THROTTLE_MS } : {}),
    observe: {
      request: metrics.upstream,
      warning: (event) => log.warn(event, 'warning from EIA'),
      throttled(event) {
        metrics.throttled(event)
        log.warn(event, 'rate limited by EIA; all requests wait')
      },
    },
  })
}
