import { LRUCache } from 'lru-cache'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { createGlobalState, getStateRootHash } from '../../casper/state/globalState.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import type { SqliteStore } from '../../casper/transaction/sqliteStore.ts'
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
import { type Archive, createArchive } from '../send/archive.ts'
import { createDryRun, createOutbox, type Outbox } from '../send/createOutbox.ts'
import type { OutboxStep } from '../send/outboxStep.ts'
import type { AgentSettings } from '../settings/agentSettings.ts'
import { createAttestationStore } from '../state/attestationStore.ts'
import type { AttestingPurpose } from '../state/feedPending.ts'
import { importOldFiles } from '../state/importOldFiles.ts'
import { type AgentState, openState, stateOf } from '../state/openState.ts'
import type { AttestPurpose } from '../state/pendingAttestations.ts'
import { openSentLog } from '../state/sentLog.ts'
import { readSettledBlocks } from '../state/settledBlocks.ts'

/** The platform's functions; tests replace them. */
export interface Platform {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Epoch milliseconds. */
  now: () => number
  /** Waits. Aborting the signal rejects with its reason. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  random: () => number
  /** Milliseconds of a monotonic clock. @default `now` */
  steadyNow?: () => number
  /** How long to wait between two polls of a transaction, in milliseconds. @default 4_000 */
  pollMs?: number
}

export interface OpenAgentOptions {
  settings: AgentSettings
  /** Null without a key. Only a dry run works without one. */
  signer: Signer | null
  isDryRun: boolean
  /** @default 'agent' */
  purpose?: AttestingPurpose
  /** Whether the agent runs once. Then it waits at most a minute for EIA's rate limit. */
  isOnce: boolean
  log: Log
  /** Notified of every request to EIA, and of its rate limit. */
  metrics: Pick<AgentMetrics, 'upstream' | 'throttled'>
  platform: Platform
  onStep?: (step: OutboxStep) => unknown
  /** Whether the chain has just been created, so that nothing can have been sent from a lost state. @default false */
  isFreshChain?: boolean
  /** Whether this machine's clock differs from a server's. @default never */
  isClockOff?: () => boolean
  /** Abort it to stop following transactions in flight. They stay on disk. */
  abandon: AbortSignal
}

/** The parts of the agent. Opening them sends no request. Dispose of them to close the state's file. */
export interface OpenAgent extends Disposable {
  rpc: Rpc
  client: Client
  /** What is promised and not yet settled. In a dry run, a copy of it. */
  state: AgentState
  store: SqliteStore<AttestPurpose>
  lastPrints: LastPrints
  eia: EiaClient
  /** Reads the newest block. @throws the errors of the client. */
  openView: () => Promise<View>
  /** Opens the outbox, which only checks in a dry run. @throws the errors of the client and of the system */
  openOutbox: () => Promise<Outbox>
  /** Logs a warning about a feed, unless one about the same was logged before. */
  warnOnce: (feedId: string, message: string, about?: string) => void
  isClockOff: () => boolean
  /** Logs that EIA states the configured unit of a feed, once. */
  onUnit: (feedId: string, unit: string) => void
  /** Opens the check for attestations by another program; null in a dry run. @throws {StateFileError} */
  openOtherWriter: () => OtherWriter | null
  /** `ARCHIVE_FILE`; null if it is not set. */
  archive: Archive | null
  /** Called with every step of every transaction. */
  observe: (step: OutboxStep) => unknown
}

/** Connects the parts of the agent. @throws {StateFileError | UnlockableError} */
export function openAgent(options: OpenAgentOptions): OpenAgent {
  const { settings, signer, isDryRun, platform, log } = options
  const { attestationRegistryPackageHash, chainName, paymentMotes } = settings
  const { client, rpc, readBlock } = connectToBlocks({ ...settings, fetch: platform.fetch })
  using resources = new DisposableStack()
  const state = openAgentState(options, resources)
  const store = createAttestationStore(state, platform.now)
  // Separate from the client's, because it also looks up the contract at unverified state roots.
  const registry = createRegistryContract(
    createGlobalState(rpc),
    'AttestationRegistry',
    attestationRegistryPackageHash,
    platform.now,
  )
  const observe = (step: OutboxStep): unknown => options.onStep?.(step)
  const archive =
    settings.archiveFile === null
      ? null
      : resources.use(createArchive(settings.archiveFile, { log, now: platform.now }))
  async function openView(): Promise<View> {
    // Read before the block, because another process may settle a transaction in a later block meanwhile.
    const settled = readSettledBlocks(state)
    return { ...(await readBlock()), settled }
  }

  const openOutbox = once(async (): Promise<Outbox> => {
    const batch = { offersMany: await readOffersMany(rpc, registry), paymentMotes }
    if (isDryRun || signer === null)
      return createDryRun({ rpc, signer, ...batch, signsAlone: settings.committeePeers === null })
    const { transactionTtlMs, gasPriceTolerance } = settings
    return createOutbox({
      ...platform,
      ...batch,
      rpc,
      openView,
      registry,
      feedRegistry: settings.feedRegistryPackageHash,
      signer,
      chainName,
      state,
      store,
      archive,
      log,
      observe,
      isFreshChain: options.isFreshChain ?? false,
      signal: options.abandon,
      transactionTtlMs,
      gasPriceTolerance,
    })
  })

  const openOtherWriter = (): OtherWriter | null =>
    isDryRun || signer === null
      ? null
      : createOtherWriter({
          client,
          sentLog: openSentLog(state),
          accountHash: signer.accountHash,
          readTime: async () => (await readBlock()).block.time,
          log,
        })
  const warnOnce = onceForEach((feed_id, message) => log.warn({ feed_id, detail: message }, 'feed warning'))
  const onUnit = onceForEach((feed_id, unit) => log.info({ feed_id, unit }, 'EIA states the configured unit'))
  const [lastPrints, eia] = [createLastPrints(), openEia(options)]
  const opened = resources.move()
  return {
    rpc,
    client,
    state,
    store,
    lastPrints,
    eia,
    openView,
    openOutbox,
    warnOnce,
    isClockOff: options.isClockOff ?? (() => false),
    onUnit,
    openOtherWriter,
    archive,
    observe,
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  }
}

/** Opens the state of the settings' contract and the signer's account, with what files of older versions hold. */
function openAgentState(options: OpenAgentOptions, resources: DisposableStack): AgentState {
  const { settings, signer, isDryRun, log } = options
  const file = resources.use(openState(settings.stateDir, { purpose: options.purpose ?? 'agent', isDryRun }))
  const state = stateOf(file, {
    chainName: settings.chainName,
    contract: settings.attestationRegistryPackageHash,
    account: signer?.accountHash ?? '',
  })
  if (!isDryRun) importOldFiles(state, settings.stateDir, log)
  return state
}

/** Calls `open` once and caches its result. After a failure, the next call tries again. */
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

/** Texts that are remembered. One that was forgotten may be forwarded again. */
const MAX_TOLD = 10_000

/** Forwards a text of a feed, unless one about the same was forwarded before. */
function onceForEach(tell: (feedId: string, text: string) => void): OpenAgent['warnOnce'] {
  const told = new LRUCache<string, true>({ max: MAX_TOLD })
  return (feedId, text, about = text) => {
    const key = `${feedId} ${about}`
    if (told.get(key)) return
    told.set(key, true)
    tell(feedId, text)
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
  if (apiKey === null) throw new SettingsError({ faults: ['EIA_API_KEY is not set'] })
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
