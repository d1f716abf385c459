import { createGlobalState, getStateRootHash, type Rpc } from '@wattfeed/casper'
import type { SqliteStore } from '@wattfeed/casper/sqlite'
import type { Signer } from '@wattfeed/casper/transaction'
import { createEiaClient, type EiaClient, MAX_THROTTLE_MS } from '@wattfeed/eia'
import { LRUCache } from 'lru-cache'
import type { Client } from 'wattfeed'
import { createRegistryContract, type RegistryContract } from 'wattfeed/internal'
import { type Clocks, isClockOff } from '../../runtime/clocks.ts'
import type { Log } from '../../runtime/log.ts'
import { clientOptions } from '../../runtime/settings/readerSettings.ts'
import { SettingsError } from '../../runtime/settings/settings.ts'
import { createDatasetKeeper, type DatasetKeeper } from '../datasets/datasetKeeper.ts'
import { takeSnapshot } from '../datasets/takeSnapshot.ts'
import type { Report } from '../events.ts'
import type { ObserveSettings } from '../look/observeSettings.ts'
import { createOtherWriter, type OtherWriter } from '../look/otherWriter.ts'
import { connectToBlocks, type View } from '../look/view.ts'
import { type Archive, createArchive } from '../send/archive.ts'
import { createDryRun, createOutbox, type Outbox } from '../send/createOutbox.ts'
import { type AttesterSettings, datasetsFolder } from '../settings/agentSettings.ts'
import { createAttestationStore } from '../state/attestationStore.ts'
import { type LostPeriods, openLostPeriods } from '../state/lostPeriods.ts'
import { type AgentState, openState, stateOf } from '../state/openState.ts'
import { openSentLog } from '../state/sentLog.ts'
import { readSettledBlocks } from '../state/settledBlocks.ts'
import type { Platform } from './platform.ts'

interface AgentParts {
  readonly settings: AttesterSettings
  /** Null without a key. Only a dry run works without one. */
  readonly signer: Signer | null
  readonly isDryRun: boolean
  /** @default 'agent' */
  readonly purpose?: AttestingPurpose
  /** Whether the agent runs once. Then it waits at most a minute for EIA's rate limit. */
  readonly isOnce: boolean
  readonly log: Log
  /** Called with each step of a transaction, before the next one, and of EIA's answers. */
  readonly report: Report
  readonly platform: Platform
  /** Whether the chain has just been created, so that nothing can have been sent from a lost state. @default false */
  readonly isFreshChain?: boolean
  /** The clocks of servers. @default none is known */
  readonly clocks?: Pick<Clocks, 'list'>
  /** Abort it to start nothing new. */
  readonly stop: AbortSignal
  /** Abort it to stop following transactions in flight. They stay on disk. */
  readonly abandon: AbortSignal
}

/** What a process that attests to feeds does, as others show it. */
export type AttestingPurpose = 'agent' | 'attest' | 'backfill'

/** What attests to feeds, and what it observes them with. */
export interface Attesting {
  readonly outbox: Outbox
  readonly settings: ObserveSettings
}

/** How a process attests: alone, in a dry run not at all, or as a member of a committee. */
export interface Attests {
  /** Opens the outbox once. @throws the errors of the client and of the system */
  openAttesting(): Promise<Attesting>
  /** Takes the snapshots of datasets. */
  readonly keeper: DatasetKeeper
}

/** The parts of the agent. Opening them sends no request. Dispose of them to close the state's file. */
export interface OpenAgent extends Attests, Disposable {
  readonly rpc: Rpc
  readonly client: Client
  /** What is promised and not yet settled. In a dry run, a copy of it. */
  readonly state: AgentState
  readonly store: SqliteStore
  readonly eia: EiaClient
  /** Null in a dry run, and for a process that is not the agent. */
  readonly lostPeriods: LostPeriods | null
  /** @throws the errors of the client */
  openView(): Promise<View>
  /** Opens the check for attestations by another program; null in a dry run. @throws {StateFileError} */
  openOtherWriter(): OtherWriter | null
  /** `ARCHIVE_FILE`; null if it is not set. */
  readonly archive: Archive | null
  readonly report: Report
}

/** Connects the parts of the agent. @throws {StateFileError | UnlockableError} */
export function openAgent(parts: AgentParts): OpenAgent {
  const { settings, signer, isDryRun, platform, log, report } = parts
  const { client, rpc, readBlock, openView } = connectToBlocks({
    ...clientOptions(settings, log),
    fetch: platform.fetch,
    observe: { protocolVersion: (version) => void report({ event: 'protocol_version', version }) },
  })
  using resources = new DisposableStack()
  const state = openAgentState(parts, resources)
  const store = createAttestationStore(state, platform.now)
  const archive =
    settings.archiveFile === null
      ? null
      : resources.use(createArchive(settings.archiveFile, { log, now: platform.now }))
  const open = () => openView(() => readSettledBlocks(state))
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
  const eia = openEia(parts)
  const isAgent = (parts.purpose ?? 'agent') === 'agent'
  const lostPeriods = isAgent && !isDryRun ? openLostPeriods(state, log, report) : null
  const opened = resources.move()
  return {
    rpc,
    client,
    state,
    store,
    eia,
    lostPeriods,
    openView: open,
    openAttesting: once(async () => {
      const outbox = await openOutbox(parts, { rpc, openView: open, state, store, archive })
      return { outbox, settings: settingsOf(parts, { eia, lostPeriods, offersMany: outbox.offersMany }) }
    }),
    openOtherWriter,
    archive,
    keeper: createKeeper(parts, eia),
    report,
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  }
}

function createKeeper({ settings, isDryRun, platform, report }: AgentParts, eia: EiaClient): DatasetKeeper {
  return createDatasetKeeper({
    eia,
    takeSnapshot: platform.takeSnapshot ?? takeSnapshot,
    folder: datasetsFolder(settings),
    // A dry run removes nothing.
    keep: isDryRun ? null : settings.keepSnapshots,
    archived: settings.keepArchived,
    report,
    now: platform.now,
    random: platform.random,
  })
}

/** Opens the outbox of this key alone; in a dry run, or without a key, one that only checks. */
async function openOutbox(
  { settings, signer, isDryRun, isFreshChain = false, clocks, platform, report, abandon }: AgentParts,
  { rpc, ...opened }: Pick<OpenAgent, 'rpc' | 'openView' | 'state' | 'store' | 'archive'>,
): Promise<Outbox> {
  const { casperChainName: chainName, paymentMotes, transactionTtlMs, gasPriceTolerance } = settings
  // Separate from the client's, because it also looks up the contract at unverified state roots.
  const registry = createRegistryContract(
    createGlobalState(rpc),
    'AttestationRegistry',
    settings.attestationRegistryPackageHash,
    platform.now,
  )
  const offersMany = await readOffersMany(rpc, registry)
  const signsAlone = settings.committeePeers === null
  if (isDryRun || signer === null) return createDryRun({ rpc, signer, offersMany, paymentMotes, signsAlone })
  return createOutbox({
    ...opened,
    ...platform,
    // A transaction that is signed with a fast clock may be pending for as long as the clock is fast. EIA tells the time, too.
    rpc: { ...rpc, nodeTime: () => rpc.nodeTime() ?? clocks?.list()[0]?.serverMs ?? null },
    signer,
    chainName,
    registry,
    feedRegistry: settings.feedRegistryPackageHash,
    offersMany,
    paymentMotes,
    transactionTtlMs,
    gasPriceTolerance,
    report,
    isFreshChain,
    signal: abandon,
  })
}

function settingsOf(
  { settings, signer, clocks, platform, log, report, stop }: AgentParts,
  { eia, lostPeriods, offersMany }: { eia: EiaClient; lostPeriods: LostPeriods | null; offersMany: boolean },
): ObserveSettings {
  return {
    eia,
    chainName: settings.casperChainName,
    accountHash: signer?.accountHash ?? null,
    catchUp: settings.catchUp,
    lookBack: settings.lookBack,
    offersMany,
    lastPrints: new Map(),
    lostPeriods,
    warnOnce: onceForEach((feed_id, message) => log.warn({ feed_id, detail: message }, 'feed warning')),
    isClockOff: () => clocks?.list().some(isClockOff) ?? false,
    onUnit: onceForEach((feed_id, unit) => log.info({ feed_id, unit }, 'EIA states the configured unit')),
    report,
    now: platform.now,
    stop,
  }
}

/** Opens the state of the settings' contract and the signer's account. */
function openAgentState(parts: AgentParts, resources: DisposableStack): AgentState {
  const { settings, signer, isDryRun } = parts
  const file = resources.use(
    openState(settings.agentStateDir, { purpose: parts.purpose ?? 'agent', isDryRun }),
  )
  return stateOf(file, {
    chainName: settings.casperChainName,
    contract: settings.attestationRegistryPackageHash,
    account: signer?.accountHash ?? '',
  })
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
function onceForEach(tell: (feedId: string, text: string) => void): ObserveSettings['warnOnce'] {
  const told = new LRUCache<string, true>({ max: MAX_TOLD })
  return (feedId, text, about = text) => {
    const key = `${feedId} ${about}`
    if (told.get(key)) return
    told.set(key, true)
    tell(feedId, text)
  }
}

/** Returns whether the deployed AttestationRegistry offers `attest_many`. */
async function readOffersMany(rpc: Rpc, registry: RegistryContract): Promise<boolean> {
  const { hash } = await getStateRootHash(rpc)
  const { entryPoints } = await registry.at(hash)
  return entryPoints.has('attest_many')
}

function openEia({ settings, platform, report, log, isOnce }: AgentParts): EiaClient {
  const { eiaApiKey: apiKey } = settings
  if (apiKey === null) throw new SettingsError({ faults: ['EIA_API_KEY is not set'] })
  return createEiaClient({
    baseUrl: settings.eiaBaseUrl,
    apiKey,
    requestsPerSecond: settings.eiaRps,
    fetch: platform.fetch,
    ...(isOnce ? { giveUpAfterMs: MAX_THROTTLE_MS } : {}),
    observe: {
      request: (event) => void report({ event: 'request', ...event }),
      warning: (event) => log.warn(event, 'warning from EIA'),
      throttled: (event) => void report({ event: 'throttled', ...event }),
    },
  })
}
