import { join } from 'node:path'
import { createRedact } from '../../bytes/redact.ts'
import { getBalance } from '../../casper/transaction/account.ts'
import { loadSigner, type Signer } from '../../casper/transaction/signer.ts'
import { acquireLock } from '../../runtime/lockFile.ts'
import type { Log } from '../../runtime/log.ts'
import { listStored } from '../../runtime/storedTransactions.ts'
import type { FeedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import type { FeedsFile } from '../feeds/feedsFile.ts'
import type { Pace } from '../intervals.ts'
import type { AgentMetrics } from '../monitor/agentMetrics.ts'
import { createClocks } from '../monitor/clocks.ts'
import { type Monitor, startMonitor } from '../monitor/monitor.ts'
import { type AgentWatch, createAgentWatch } from '../monitor/watchAgent.ts'
import type { OutboxStep } from '../outbox/outboxStep.ts'
import { type AgentSettings, agentSecrets } from '../settings/agentSettings.ts'
import { type OpenAgent, openAgent, type Platform } from './openAgent.ts'
import { logCycle, logOutcome } from './outcomes.ts'
import { runCycle } from './runCycle.ts'
import { createSchedule, type Reload, runLoop } from './runLoop.ts'

export interface AgentOptions extends Pace {
  settings: AgentSettings
  /** The feeds to watch. */
  feeds: readonly FeedConfig[]
  /** Where the feeds come from, to follow its changes. @default they stay */
  feedsFile?: FeedsFile
  /** Returns a signal that is aborted when `feedsFile` is next to be read. @default never */
  nextReload?: () => AbortSignal
  /** Whether to try every feed once, then end. */
  isOnce: boolean
  /** Whether to decide and check only, and send nothing. */
  isDryRun: boolean
  /** `attest` works beside the agent of the same state folder, which is the only `agent` there. @default 'agent' */
  purpose?: 'agent' | 'attest'
  log: Log
  metrics: AgentMetrics
  platform: Platform
  /** Called with each feed's outcome as soon as it is done. Must not throw. */
  onOutcome: (outcome: FeedOutcome) => void
  /** Called with all outcomes of a cycle when it is over. Must not throw. */
  onCycle: (outcomes: readonly FeedOutcome[]) => void
  /** Called with every step of every transaction, and awaited. Must not throw. */
  onStep?: (step: OutboxStep) => unknown
  /** Called with the agent's parts before anything is requested. */
  onOpen?: (agent: OpenAgent) => void
  /** Aborted to begin nothing new and wait for what is in flight. */
  stop: AbortSignal
  /** Aborted to wait no longer: what is in flight stays on disk for the next run. */
  abandon: AbortSignal
}

/** How long the other feeds wait for one transaction. */
const PATIENCE_MS = 120_000
/** How many transactions of one feed, one after the other, they wait for: a feed with more goes on in the next cycle. */
const MAX_STEPS = 4

/** A clock that was set, and a feed that is late, are noticed within this. */
const REVIEW_MS = 60_000

/**
 * Runs the agent, the only one on its state folder, until it is stopped; with `isOnce` until every feed was tried.
 *
 * The failure of a feed is reported as its outcome.
 *
 * @throws {KeyError | LockedError | MonitorError} before any feed is tried.
 */
export async function runAgent(given: AgentOptions): Promise<void> {
  const clocks = createClocks(given.platform)
  const options = { ...given, platform: { ...given.platform, fetch: clocks.fetch } }
  const { settings, feeds, isDryRun, isOnce, purpose = 'agent', log, platform } = options
  const { now, steadyNow = now } = platform
  const signer = await loadKey(settings, log)
  const isOnlyOne = purpose === 'agent' && !isDryRun
  using _lock = isOnlyOne ? acquireLock(join(settings.stateDir, 'lock'), purpose) : null
  const watch = createAgentWatch({ ...options, ...platform, clocks: clocks.list })
  watch.feeds(feeds, options.feedsFile?.state ?? null)
  logStop(options)
  await using _monitor = isOnce ? null : openMonitor(options, watch)
  const agent = openAgent({
    ...options,
    signer,
    metrics: watch,
    patienceMs: isOnce ? null : PATIENCE_MS,
    onRead(state) {
      watch.read(state)
      otherWriter?.read(state)
    },
    async onStep(step) {
      await options.onStep?.(step)
      watch.step(step)
    },
  })
  options.onOpen?.(agent)
  const otherWriter = purpose === 'attest' ? null : await agent.openOtherWriter()
  const cycle = async (due: readonly FeedConfig[]): Promise<readonly FeedOutcome[]> => {
    await otherWriter?.begin()
    const lookForOthers = async () => watch.otherWriter((await otherWriter?.look()) ?? [])
    const outcomes = await runReportedCycle(due, agent, signer, watch, { ...options, lookForOthers })
    if (signer !== null && !isOnce) await readBalance(agent, signer, watch, options)
    return outcomes
  }
  if (isOnce) await cycle(feeds)
  else
    await runLoop({
      ...platform,
      now: steadyNow,
      schedule: createSchedule({ ...options, ...platform, aheadMs: () => now() - steadyNow() }),
      cycle,
      stop: options.stop,
      ...reloadOf(options, watch),
    })
  await leave(agent, options)
}

/** Says at once what a stop waits for. */
function logStop({ stop, log }: AgentOptions): void {
  const tell = () => {
    const pending = listStored().map(({ path, transactionHash: transaction_hash }) => ({
      transaction_hash,
      path,
    }))
    log.info(
      { pending },
      'stopping: what is on its way is followed for some seconds; a second signal ends the agent at once',
    )
  }
  stop.addEventListener('abort', tell, { once: true })
}

function reloadOf({ feedsFile, nextReload }: AgentOptions, watch: AgentWatch): { reload?: Reload } {
  if (feedsFile === undefined) return {}
  const pollMs = Math.min(feedsFile.pollMs, REVIEW_MS)
  const never = new AbortController().signal
  return {
    reload: {
      pollMs,
      nextAsked: nextReload ?? (() => never),
      async look(isAsked) {
        const changed = await feedsFile.look(isAsked)
        watch.feeds(feedsFile.feeds, feedsFile.state)
        watch.review()
        return changed
      },
    },
  }
}

async function loadKey({ keyPath, account }: AgentSettings, log: Log): Promise<Signer | null> {
  if (keyPath === null) {
    log.warn({}, 'ATTESTER_KEY_PATH is not set: neither who may attest nor the balance is checked')
    return null
  }
  const { signer, warning } = await loadSigner(keyPath, account)
  if (warning !== null) log.warn({}, warning)
  return signer
}

function openMonitor({ settings, metrics, log }: AgentOptions, { health, review }: AgentWatch): Monitor {
  const { host, port } = settings
  const redact = createRedact(agentSecrets(settings))
  const reviewed = {
    contentType: metrics.contentType,
    async text() {
      review()
      return metrics.text()
    },
  }
  const monitor = startMonitor({ host, port, metrics: reviewed, health, redact })
  log.info({ host, port: monitor.port }, 'serving /metrics and /health')
  return monitor
}

async function runReportedCycle(
  due: readonly FeedConfig[],
  agent: OpenAgent,
  signer: Signer | null,
  watch: AgentWatch,
  options: AgentOptions & { lookForOthers: () => Promise<void> },
): Promise<readonly FeedOutcome[]> {
  const { settings, platform, log, stop } = options
  const startedAt = platform.now()
  const outcomes = await runCycle(due, {
    ...agent,
    ...platform,
    chainName: settings.chainName,
    catchUp: settings.catchUp,
    lookBack: settings.lookBack,
    ...(options.isOnce ? {} : { maxSteps: MAX_STEPS }),
    accountHash: signer?.accountHash ?? null,
    stop,
    onOutcome(outcome) {
      watch.outcome(outcome)
      logOutcome(log, outcome)
      options.onOutcome(outcome)
    },
  })
  await options.lookForOthers()
  const durationMs = platform.now() - startedAt
  logCycle(log, outcomes, durationMs)
  watch.cycle(durationMs)
  options.onCycle(outcomes)
  return outcomes
}

async function readBalance(
  { rpc }: OpenAgent,
  { initiator }: Signer,
  watch: AgentWatch,
  { log, stop }: AgentOptions,
): Promise<void> {
  try {
    watch.balance((await getBalance(rpc, initiator, stop)) ?? 0n)
  } catch (error) {
    if (!stop.aborted) log.warn({ err: error }, 'the balance could not be read')
  }
}

/** Waits for what is followed; what is still in flight then is on disk for the next run. */
async function leave({ sender }: OpenAgent, { settings, log }: AgentOptions): Promise<void> {
  const { stateDir: state_dir } = settings
  for (const [feed_id, transaction_hash] of await sender.drain())
    log.warn({ feed_id, transaction_hash, state_dir }, 'still on its way: the next run follows it')
}
