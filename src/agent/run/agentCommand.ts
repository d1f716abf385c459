import { createRedact } from '../../bytes/redact.ts'
import { WattfeedError } from '../../errors.ts'
import { describeSource } from '../../runtime/chainSettings.ts'
import { openCheckpoint } from '../../runtime/checkpointFile.ts'
import { createLog, type Log, type OpenLog } from '../../runtime/log.ts'
import { similarNames } from '../../runtime/misspelt.ts'
import { type Environment, SettingsError } from '../../runtime/settings.ts'
import { listStored } from '../../runtime/storedTransactions.ts'
import { isSystemError } from '../../runtime/systemReason.ts'
import { exitCodes } from '../exitCodes.ts'
import type { FeedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { openFeedsFile } from '../feeds/feedsFile.ts'
import { type Intervals, paceOf } from '../intervals.ts'
import { createAgentMetrics } from '../monitor/agentMetrics.ts'
import type { OutboxStep } from '../send/outboxStep.ts'
import {
  type AgentSettings,
  agentSecrets,
  agentSettings,
  readAgentSettings,
} from '../settings/agentSettings.ts'
import type { Platform } from './openAgent.ts'
import { exitCodeOf, formatOutcomes, outcomeLine } from './outcomes.ts'
import { runAgent } from './runAgent.ts'
import type { StopSignals } from './stopSignals.ts'

/** The agent's command-line options. */
export interface CommandOptions {
  once?: boolean
  dryRun?: boolean
  json?: boolean
  /** Ids of the feeds to try; all if none is named. */
  feed?: readonly string[]
  /** Those that are set. */
  interval?: Partial<Intervals>
}

/** What the command depends on. */
export interface CommandContext {
  environment: Environment
  platform: Platform
  signals: Pick<StopSignals, 'stop' | 'abandon' | 'nextReload'>
  /** Called with every step of every transaction, and awaited. */
  onStep?: (step: OutboxStep) => unknown
  /** Prints on standard output. */
  print: (text: string) => void
}

/** Runs the agent to its end and returns the exit code; what prevents it from running is logged. */
export async function runAgentCommand(options: CommandOptions, context: CommandContext): Promise<number> {
  let open: OpenLog = createLog({ level: 'info' })
  try {
    const needs = { writes: !options.dryRun, fetches: true }
    const settings = readAgentSettings(context.environment, needs)
    const redact = createRedact(agentSecrets(settings))
    open = createLog({ level: settings.logLevel, redact })
    open.log.info(describeSource(settings), 'starting')
    for (const message of similarNames(context.environment, Object.values(agentSettings)))
      open.log.warn({}, message)
    const checkpoint = await openCheckpoint(settings.checkpoint, open.log)
    const running = run({ ...settings, ...checkpoint }, options, { ...context, redact, log: open.log })
    return await Promise.race([running, abandoned(options, context, open.log)])
  } catch (error) {
    logFailure(open.log, error)
    return exitCodes.notRun
  } finally {
    await open.flush()
  }
}

/** How long what was abandoned may take to end. */
const LEAVE_MS = 1_000

/** Resolves when what was abandoned does not end by itself: a call to a node that hangs. */
async function abandoned(
  { once = false }: CommandOptions,
  { signals: { abandon }, platform }: CommandContext,
  log: Log,
): Promise<number> {
  await new Promise((resolve) => abandon.addEventListener('abort', resolve, { once: true }))
  await platform.wait(LEAVE_MS, new AbortController().signal)
  for (const { path, transactionHash: transaction_hash } of listStored())
    log.warn({ transaction_hash, path }, 'still on its way: the next run follows it')
  log.warn({}, 'a call hangs: the agent ends without its answer')
  return once ? exitCodes.someFailed : exitCodes.done
}

interface RunContext extends CommandContext {
  redact: (text: string) => string
  log: Log
}

async function run(
  settings: AgentSettings,
  { once: isOnce = false, dryRun: isDryRun = false, json = false, feed = [], interval = {} }: CommandOptions,
  { platform, signals, print, onStep = () => {}, redact, log }: RunContext,
): Promise<number> {
  const { now } = platform
  const feedsFile = await openFeedsFile({ path: settings.feedsFile, feedIds: feed, log, now })
  let exitCode: number = exitCodes.done
  await runAgent({
    ...signals,
    settings,
    feeds: feedsFile.feeds,
    feedsFile,
    ...paceOf(interval),
    isOnce,
    isDryRun,
    log,
    metrics: createAgentMetrics(now),
    platform,
    onStep,
    onOutcome(outcome) {
      if (json) print(outcomeLine(outcome, redact))
    },
    onCycle(outcomes) {
      if (!json) print(redact(formatOutcomes(inOrder(outcomes, feedsFile.feeds))))
      if (isOnce) exitCode = exitCodeOf(outcomes)
    },
  })
  return exitCode
}

/** Sorts outcomes, which come as they are done, like the feeds file. */
function inOrder(outcomes: readonly FeedOutcome[], feeds: readonly FeedConfig[]): readonly FeedOutcome[] {
  const byId = new Map(outcomes.map((outcome) => [outcome.feedId, outcome]))
  return feeds.flatMap(({ feed_id }) => byId.get(feed_id) ?? [])
}

function logFailure(log: Log, error: unknown): void {
  if (error instanceof SettingsError) for (const fault of error.faults) log.error({ code: error.code }, fault)
  else if (error instanceof WattfeedError) log.error({ code: error.code }, error.message)
  else if (isSystemError(error)) log.error({ code: 'system' }, error.message)
  else log.error({ err: error }, 'the agent ended for a reason that is a fault of this program')
}
