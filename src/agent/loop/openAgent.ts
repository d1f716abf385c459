import { join } from 'node:path'
import { getBlock } from '../../casper/lightClient/getBlock.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getStateRootHash } from '../../casper/state/globalState.ts'
import { createNodeClock } from '../../casper/transaction/nodeClock.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import { decodeBlock } from '../../casper/types/block.ts'
import { type Client, connect } from '../../client/createClient.ts'
import { createRegistry, type Registry } from '../../client/registry.ts'
import { createEiaClient, type EiaClient } from '../../eia/createEiaClient.ts'
import { MAX_THROTTLE_MS } from '../../eia/throttle.ts'
import type { Log } from '../../runtime/log.ts'
import { SettingsError } from '../../runtime/settings.ts'
import { systemReason } from '../../runtime/systemReason.ts'
import type { AgentMetrics } from '../monitor/agentMetrics.ts'
import { createArchive } from '../outbox/archive.ts'
import type { BatchOptions } from '../outbox/attestCall.ts'
import { createOutbox } from '../outbox/createOutbox.ts'
import { type AttestingPurpose, createFeedLocks, type FeedLocks } from '../outbox/feedLocks.ts'
import type { OutboxStep } from '../outbox/outboxStep.ts'
import { openSentLog, type SentLog } from '../outbox/sentLog.ts'
import { type AgentSettings, agentSettings } from '../settings/agentSettings.ts'
import {
  createFeedReader,
  type FeedReader,
  type FeedState,
  loadSeenTimes,
  type NewestBlock,
  saveSeenTimes,
} from './feedReader.ts'
import { createLastPrints, type LastPrints } from './lastPrints.ts'
import { createOtherWriter, type OtherWriter } from './otherWriter.ts'
import { createDryRunSender, createOutboxSender, type Sender } from './sender.ts'

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
  /** How long the other feeds wait for one transaction, in milliseconds; null for as long as it takes. */
  patienceMs: number | null
  log: Log
  /** Is told of every request to EIA, and when EIA asks to be left alone. */
  metrics: Pick<AgentMetrics, 'upstream' | 'throttled'>
  platform: Platform
  onStep?: (step: OutboxStep) => unknown
  /** Called with every state of a feed that was read from the chain. */
  onRead?: (state: FeedState) => void
  /** Aborted to give up what is in flight: it stays on disk. */
  abandon: AbortSignal
}

/** The parts of the agent. Nothing has been requested yet. */
export interface OpenAgent {
  rpc: Rpc
  client: Client
  /** Under which its transactions are sent. */
  locks: FeedLocks
  reader: FeedReader
  lastPrints: LastPrints
  eia: EiaClient
  sender: Sender
  /** Warns of a feed, unless the same was said before. */
  warnOnce: (feedId: string, message: string) => void
  /** Logs that EIA states the configured unit of a feed, once. */
  onUnit: (feedId: string, unit: string) => void
  /** Opens what finds attestations by another program; null in a dry run. @throws the system's error */
  openOtherWriter: () => Promise<OtherWriter | null>
}

/** Connects the parts of the agent. */
export function openAgent(options: OpenAgentOptions): OpenAgent {
  const { settings, signer, isDryRun, platform } = options
  const clock = createNodeClock(platform.fetch, platform.now)
  const { client, rpc } = connect({ ...settings, fetch: clock.fetch })
  const seenPath = join(settings.stateDir, 'newest.json')
  const seen = loadSeenTimes(seenPath)
  const reader = createFeedReader(client, () => getNewestBlock(rpc), seen, options.onRead)
  const told = new Set<string>()
  const warnOnce: OpenAgent['warnOnce'] = (feed_id, message) => {
    if (told.size < told.add(`${feed_id} ${message}`).size) options.log.warn({ feed_id }, message)
  }
  const confirmed = new Set<string>()
  const onUnit: OpenAgent['onUnit'] = (feed_id, unit) => {
    if (confirmed.size < confirmed.add(`${feed_id} ${unit}`).size)
      options.log.info({ feed_id, unit }, 'EIA states the configured unit')
  }
  const { attestationRegistryPackageHash, chainName, stateDir, paymentMotes } = settings
  const { transactionTtlMs, gasPriceTolerance } = settings
  const locks = createFeedLocks(stateDir, options.purpose ?? 'agent')
  // Not the client's: this one also looks the contract up at state roots that nobody has verified.
  const registry = createRegistry(rpc, 'AttestationRegistry', attestationRegistryPackageHash, platform.now)
  const readOptions = async (): Promise<BatchOptions> => ({
    offersMany: await readOffersMany(rpc, registry),
    paymentMotes,
  })
  const archive = settings.archiveFile === null ? null : createArchive(settings.archiveFile)
  const canSend = !isDryRun && signer !== null
  let sentLog: Promise<SentLog> | null = null
  const getSentLog = (): Promise<SentLog> => {
    sentLog ??= openSentLog(join(stateDir, `sent-${chainName}.jsonl`))
    return sentLog
  }
  const openOtherWriter = async (): Promise<OtherWriter | null> =>
    canSend
      ? createOtherWriter({
          client,
          sentLog: await getSentLog(),
          accountHash: signer.accountHash,
          getNewestBlock: () => getNewestBlock(rpc),
          log: options.log,
        })
      : null
  const openOutbox = async (payer: Signer) => {
    const { log, onStep, abandon: signal } = options
    const batch = await readOptions()
    const terms = { clock, transactionTtlMs, gasPriceTolerance }
    const parts = {
      rpc,
      client,
      registry,
      signer: payer,
      chainName,
      stateDir,
      locks,
      archive,
      sentLog: await getSentLog(),
      log,
      signal,
      ...terms,
    }
    const outbox = createOutbox({
      ...platform,
      ...batch,
      ...parts,
      observe: (step) => onStep?.(step),
      async onValues(values) {
        for (const { feedId, value } of values) if (value !== null) reader.saw(feedId, value)
        await saveSeenTimes(seenPath, seen).catch((error) =>
          log.warn({ path: seenPath, reason: systemReason(error) }, 'what was attested last is not kept'),
        )
      },
    })
    return { outbox, ...batch }
  }
  const sender = canSend
    ? createOutboxSender(() => openOutbox(signer), { ...options, ...platform })
    : createDryRunSender({ rpc, signer, readBatchOptions: readOptions })
  const [lastPrints, eia] = [createLastPrints(client), openEia(options)]
  return { rpc, client, locks, reader, lastPrints, eia, sender, warnOnce, onUnit, openOtherWriter }
}

async function getNewestBlock(rpc: Rpc): Promise<NewestBlock> {
  const { header } = await getBlock(rpc, { identifier: null, decode: decodeBlock })
  return header
}

/** Whether the deployed AttestationRegistry offers `attest_many`. */
async function readOffersMany(rpc: Rpc, registry: Registry): Promise<boolean> {
  const { hash } = await getStateRootHash(rpc)
  const { entryPoints } = await registry.at(hash)
  return entryPoints.has('attest_many')
}

function openEia({ settings, platform, metrics, log, isOnce }: OpenAgentOptions): EiaClient {
  const { apiKey } = settings
  if (apiKey === null) throw new SettingsError([`${agentSettings.apiKey.name} is not set`])
  return createEiaClient({
    baseUrl: settings.eiaBaseUrl,
    apiKey,
    requestsPerSecond: settings.eiaRequestsPerSecond,
    fetch: platform.fetch,
    ...(isOnce ? { giveUpAfterMs: MAX_THROTTLE_MS } : {}),
    observe: {
      request: metrics.upstream,
      warning: (event) => log.warn(event, 'EIA warns'),
      throttled(event) {
        metrics.throttled(event)
        log.warn(event, 'EIA throttles: all requests to it wait')
      },
    },
  })
}
