import { join } from 'node:path'
import { getBalance } from '../../casper/transaction/account.ts'
import { loadSigner, type Signer } from '../../casper/transaction/signer.ts'
import { acquireLock } from '../../runtime/lockFile.ts'
import type { Log } from '../../runtime/log.ts'
import type { FeedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import type { Intervals } from '../intervals.ts'
import type { AgentMetrics } from '../monitor/agentMetrics.ts'
import { createHealth, type Health, type Monitor, startMonitor } from '../monitor/monitor.ts'
import type { OutboxStep } from '../outbox/outboxStep.ts'
import type { AgentSettings } from '../settings/agentSettings.ts'
import { type OpenAgent, openAgent, type Platform } from './openAgent.ts'
import { logCycle, logOutcome } from './outcomes.ts'
import { runCycle } from './runCycle.ts'
import { createSchedule, runLoop } from './runLoop.ts'

export interface AgentOptions {
  settings: AgentSettings
  /** The feeds to watch. */
  feeds: readonly FeedConfig[]
  intervals: Intervals
  /** Whether to try every feed once, then end. */
  isOnce: boolean
  /** Whether to decide and check only, and send nothing. */
  isDryRun: boolean
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

/**
 * Runs the agent, alone on its state folder, until it is stopped; with `isOnce` until every feed was tried.
 *
 * The failure of a feed is reported as its outcome.
 *
 * @throws {KeyError | LockedError | MonitorError} before any feed is tried.
 */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { settings, feeds, isDryRun, isOnce, log, platform } = options
  const signer = await loadKey(settings, log)
  using _lock = isDryRun ? null : acquireLock(join(settings.stateDir, 'lock'))
  const health = createHealth(feeds.length)
  await using _monitor = isOnce ? null : openMonitor(options, health)
  const agent = openAgent({ ...options, signer, patienceMs: isOnce ? null : PATIENCE_MS })
  options.onOpen?.(agent)
  const cycle = async (due: readonly FeedConfig[]): Promise<readonly FeedOutcome[]> => {
    const outcomes = await runReportedCycle(due, agent, signer, options)
    health.update(outcomes, platform.now())
    if (signer !== null && !isOnce) await readBalance(agent, signer, options)
    return outcomes
  }
  if (isOnce) await cycle(feeds)
  else
    await runLoop({
      ...platform,
      schedule: createSchedule({ ...options, ...platform }),
      cycle,
      stop: options.stop,
    })
  await leave(agent, log)
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

function openMonitor({ settings, metrics, log }: AgentOptions, health: Health): Monitor {
  const { host, port } = settings
  const monitor = startMonitor({ host, port, metrics, health: health.current })
  log.info({ host, port: monitor.port }, 'serving /metrics and /health')
  return monitor
}

async function runReportedCycle(
  due: readonly FeedConfig[],
  agent: OpenAgent,
  signer: Signer | null,
  options: AgentOptions,
): Promise<readonly FeedOutcome[]> {
  const { settings, platform, log, metrics, stop } = options
  const startedAt = platform.now()
  const outcomes = await runCycle(due, {
    ...agent,
    ...platform,
    chainName: settings.chainName,
    accountHash: signer?.accountHash ?? null,
    stop,
    onOutcome(outcome) {
      metrics.outcome(outcome)
      logOutcome(log, outcome)
      options.onOutcome(outcome)
    },
  })
  logCycle(log, outcomes, platform.now() - startedAt)
  options.onCycle(outcomes)
  return outcomes
}

async function readBalance(
  { rpc }: OpenAgent,
  { initiator }: Signer,
  { metrics, log, stop }: AgentOptions,
): Promise<void> {
  try {
    metrics.balance((await getBalance(rpc, initiator, stop)) ?? 0n)
  } catch (error) {
    if (!stop.aborted) log.warn({ err: error }, 'the balance could not be read')
  }
}

/** Waits for what is followed; what is still in flight then is on disk for the next run. */
async function leave({ sender }: OpenAgent, log: Log): Promise<void> {
  for (const [feed_id, transaction_hash] of await sender.drain())
    log.warn({ feed_id, transaction_hash }, 'still on its way: the next run follows it')
}
