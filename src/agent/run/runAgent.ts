import { join } from 'node:path'
import { createRedact, WattfeedError } from '@wattfeed/base'
import { acquireLock } from '@wattfeed/base/disk'
import { pendingTransactions } from '@wattfeed/casper/sqlite'
import { getBalance, loadSigner, type Signer } from '@wattfeed/casper/transaction'
import pLimit from 'p-limit'
import { type FeedConfig, isDataset, isSeries } from '../../feeds/file/feedConfig.ts'
import type { FeedsFile } from '../../feeds/file/feedsFile.ts'
import { createClocks } from '../../runtime/clocks.ts'
import type { Log } from '../../runtime/log.ts'
import { type Report, reportTo } from '../events.ts'
import type { Pace } from '../intervals.ts'
import type { OtherWriter } from '../look/otherWriter.ts'
import type { AgentMetrics } from '../monitor/agentMetrics.ts'
import { logEvent } from '../monitor/logEvents.ts'
import { type Monitor, startMonitor } from '../monitor/monitor.ts'
import { type AgentWatch, createAgentWatch } from '../monitor/watchAgent.ts'
import { type AgentSettings, agentSecrets } from '../settings/agentSettings.ts'
import { pendingFeedIds } from '../state/attestPurpose.ts'
import { type Cycle, Cycles } from './cycle.ts'
import { type JoinedCommittee, joinCommittee } from './joinCommittee.ts'
import { type OpenAgent, openAgent } from './openAgent.ts'
import type { Platform } from './platform.ts'
import { type Reload, runLoop } from './runLoop.ts'
import { Schedule } from './schedule.ts'

export interface AgentOptions extends Pace {
  settings: AgentSettings
  feeds: readonly FeedConfig[]
  /** The file to reload the feeds from. @default the feeds never change */
  feedsFile?: FeedsFile
  /** Returns a signal that is aborted by the next request to read `feedsFile`. @default never */
  nextReload?: () => AbortSignal
  /** Whether to try every feed once, then end. */
  isOnce: boolean
  /** Whether to decide and check only, and send nothing. */
  isDryRun: boolean
  log: Log
  metrics: AgentMetrics
  platform: Platform
  /** Called with every event, after the metrics and the log. */
  onEvent: Report
  /** Abort it to start nothing new, and wait for transactions in flight. */
  stop: AbortSignal
  /** Abort it to stop waiting. Transactions in flight stay on disk for the next run. */
  abandon: AbortSignal
  /** Whether the chain has just been created, so that a member of a committee may sign at once. @default false */
  isFreshChain?: boolean
}

/** The options of a run, with their defaults. */
type RunOptions = AgentOptions & { isFreshChain: boolean }

/** How long a feed waits for its transaction until it counts as failed. */
const PATIENCE_MS = 120_000
/** Maximum number of transactions per feed and cycle, sent one after the other. The next cycle continues. */
const MAX_STEPS = 4

/** How often to check for a changed clock and for late feeds, in milliseconds. */
const REVIEW_MS = 60_000

/**
 * Runs the agent, the only one on its state folder, until it is stopped; with `isOnce` until every feed was tried.
 *
 * The failure of a feed is reported as its outcome.
 *
 * @throws {KeyError | LockedError | MonitorError | StateFileError} before any feed is tried.
 */
export async function runAgent(given: AgentOptions): Promise<void> {
  const clocks = createClocks(given.platform)
  const platform = { ...given.platform, fetch: clocks.fetch }
  const options = { isFreshChain: false, ...given, platform }
  const { settings, feeds, feedsFile, isDryRun, isOnce, log } = options
  const { now, steadyNow = now } = platform
  const signer = await loadKey(settings, log)
  using _lock = isDryRun ? null : acquireLock(join(settings.agentStateDir, 'lock'), 'agent')
  const watch = createAgentWatch({ ...options, now, steadyNow, clocks: clocks.list })
  const { report, subscribe } = reportTo([watch.hear, (event) => logEvent(log, event), options.onEvent], log)
  void report({ event: 'feeds', feeds, file: feedsFile?.state ?? null })
  logStop(options)
  await using _monitor = isOnce ? null : openMonitor(options, watch)
  using agent = openAgent({ ...options, signer, report, clocks })
  const { lostPeriods } = agent
  // Shown before the first poll, which may fail.
  if (lostPeriods !== null)
    for (const feed of feeds)
      void report({ event: 'lost', feed, lost: lostPeriods.list(feed.feed_id), added: [] })
  await using committee = await joinIfMember(options, { agent, signer, watch })
  // The other members attest with the same account.
  const otherWriter = committee === null ? agent.openOtherWriter() : null
  await otherWriter?.begin()
  if (otherWriter !== null)
    subscribe((event) => {
      if (event.event === 'read') otherWriter.noteRead(event.feedId, event.state)
    })
  const { openAttesting, keeper } = committee ?? agent
  const cycles = new Cycles({
    openAttesting,
    openView: agent.openView,
    report,
    patienceMs: isOnce ? null : PATIENCE_MS,
    maxSteps: isOnce ? null : MAX_STEPS,
    wait: platform.wait,
    keeper,
  })
  await runCycles(cycles, { options, agent, signer, watch, subscribe, report, otherWriter })
}

/** A running agent. */
interface Run {
  readonly options: RunOptions
  readonly agent: OpenAgent
  readonly signer: Signer | null
  readonly watch: AgentWatch
  readonly report: Report
  readonly subscribe: (report: Report) => void
  readonly otherWriter: OtherWriter | null
}

/** Runs one cycle of all feeds, or cycles of the due ones until the agent is stopped. Then waits for what is under way. */
async function runCycles(cycles: Cycles, run: Run): Promise<void> {
  const { options, watch, subscribe, report } = run
  const { feeds, platform, stop } = options
  const { now, steadyNow = now, wait } = platform
  const oneAtATime = pLimit(1)
  const finish = (cycle: Cycle, startedAt: number) => oneAtATime(() => finishCycle(cycle, startedAt, run))
  if (options.isOnce) await finish(cycles.begin(feeds), now())
  else
    await runLoop({
      now: steadyNow,
      wait,
      stop,
      schedule: new Schedule({
        ...options,
        random: platform.random,
        aheadMs: () => now() - steadyNow(),
      }),
      async cycle(due) {
        const startedAt = now()
        // A dataset has its own cycle, which is reported after it was read: that may take an hour.
        for (const dataset of due.filter(isDataset)) {
          const cycle = cycles.begin([dataset])
          void cycle.outcomes.then(() => finish(cycle, startedAt))
        }
        const series = due.filter(isSeries)
        if (series.length === 0) return
        const cycle = cycles.begin(series)
        void finish(cycle, startedAt)
        await cycle.polled
      },
      subscribe,
      ...reloadOf(options, watch, report),
    })
  await cycles.drain()
  // Logged first, because finishing a cycle asks nodes.
  logLeft(run)
  // Cycles are finished one at a time, so this waits for all of them.
  await oneAtATime(() => {})
}

/** Joins the committee of the settings, if there is one. */
async function joinIfMember(
  options: RunOptions,
  { agent, signer, watch }: Pick<Run, 'agent' | 'signer' | 'watch'>,
): Promise<JoinedCommittee | null> {
  if (signer === null || options.isDryRun) return null
  const feeds = () => options.feedsFile?.feeds ?? options.feeds
  return joinCommittee({ ...options, agent, signer, watch, feeds })
}

/** Logs the transactions that a shutdown waits for. */
function logStop({ stop, log }: AgentOptions): void {
  const tell = () => {
    const pending = [...pendingTransactions].map(([transaction_hash, path]) => ({ transaction_hash, path }))
    log.info(
      { pending },
      'shutting down: waiting for in-flight transactions; signal again to exit immediately',
    )
  }
  stop.addEventListener('abort', tell, { once: true })
}

/** Returns how the loop reloads the feeds; nothing without a file. Each check also reviews clocks and late feeds. */
function reloadOf(
  { feedsFile, nextReload }: AgentOptions,
  watch: AgentWatch,
  report: Report,
): { reload?: Reload } {
  if (feedsFile === undefined) return {}
  const pollMs = Math.min(feedsFile.pollMs, REVIEW_MS)
  const never = new AbortController().signal
  return {
    reload: {
      pollMs,
      nextAsked: nextReload ?? (() => never),
      async readChanges(isAsked) {
        const changed = await feedsFile.readChanges(isAsked)
        void report({ event: 'feeds', feeds: feedsFile.feeds, file: feedsFile.state })
        watch.review()
        return changed
      },
    },
  }
}

/** Loads the signing key. Logs a warning and returns null if there is none. @throws {KeyError} */
export async function loadKey(
  { attesterKeyPath, attesterAccount }: Pick<AgentSettings, 'attesterKeyPath' | 'attesterAccount'>,
  log: Log,
): Promise<Signer | null> {
  if (attesterKeyPath === null) {
    log.warn({}, 'ATTESTER_KEY_PATH is not set; claimant and balance are not checked')
    return null
  }
  const { signer, warning } = await loadSigner(attesterKeyPath, attesterAccount)
  if (warning !== null) log.warn({ warning }, 'key file is readable by others')
  return signer
}

/** Serves the metrics, reviewed before each scrape, and the health report. */
function openMonitor({ settings, metrics, log }: AgentOptions, { health, review }: AgentWatch): Monitor {
  const { agentHost: host, agentPort: port } = settings
  const redact = createRedact(agentSecrets(settings))
  const reviewed = {
    registry: metrics.registry,
    async text() {
      review()
      return metrics.text()
    },
  }
  const monitor = startMonitor({ host, port, metrics: reviewed, health, redact })
  log.info({ host, port: monitor.port }, 'serving /metrics and /health')
  return monitor
}

/** Waits for the outcomes of a cycle, and reports what they have changed. */
async function finishCycle(cycle: Cycle, startedAt: number, run: Run): Promise<void> {
  const { options, agent, signer, report, otherWriter } = run
  const outcomes = await cycle.outcomes
  await otherWriter?.begin()
  void report({ event: 'other_writer', found: (await otherWriter?.findNew()) ?? [] })
  const durationMs = options.platform.now() - startedAt
  void report({ event: 'cycle', outcomes, durationMs })
  if (signer !== null && !options.isOnce) await readBalance(agent, signer, report, options)
}

async function readBalance(
  { rpc }: OpenAgent,
  { initiator }: Signer,
  report: Report,
  { log, stop }: AgentOptions,
): Promise<void> {
  try {
    const balanceMotes = (await getBalance(rpc, initiator, stop)) ?? 0n
    void report({ event: 'balance', balanceMotes })
  } catch (error) {
    if (stop.aborted) return
    const fields = error instanceof WattfeedError ? { error: error.message } : { err: error }
    log.warn(fields, 'cannot read the balance')
  }
}

/** Logs the transactions that are left on disk for the next run. */
function logLeft({ agent, options }: Run): void {
  const { settings, isDryRun, log } = options
  // A dry run has sent none of them.
  for (const pending of isDryRun ? [] : agent.store.list())
    for (const feed_id of pendingFeedIds(pending))
      log.warn(
        { feed_id, transaction_hash: pending.transaction_hash, state_dir: settings.agentStateDir },
        'transaction still in flight; the next run resumes it',
      )
}
