import { defineError } from '@wattfeed/base'
import type { FeedConfig } from '../../feeds/file/feedConfig.ts'
import { openFeedsFile } from '../../feeds/file/feedsFile.ts'
import { assertCheckpointFile } from '../../runtime/checkpointFile.ts'
import { exitCodes } from '../../runtime/exitCodes.ts'
import type { Log } from '../../runtime/log.ts'
import { runUnattended } from '../../runtime/runUnattended.ts'
import { describeSource } from '../../runtime/settings/chainSettings.ts'
import type { Environment } from '../../runtime/settings/settings.ts'
import { createStopSignals as createSignals, type StopSignals as Signals } from '../../runtime/stopSignal.ts'
import type { Report } from '../events.ts'
import { exitCodeOf, type FeedOutcome, formatOutcomes, outcomeLine } from '../feedOutcome.ts'
import { type Intervals, paceOf } from '../intervals.ts'
import { createAgentMetrics } from '../monitor/agentMetrics.ts'
import { type AgentSettings, agentSecrets, readAgentSettings } from '../settings/agentSettings.ts'
import type { Platform } from './platform.ts'
import { runAgent } from './runAgent.ts'

/** The flags of the command. */
export interface CommandOptions {
  once?: boolean
  dryRun?: boolean
  json?: boolean
  /** Ids of the feeds to try; all if none is named. */
  feed?: readonly string[]
  interval?: Partial<Intervals>
}

/** What the command runs in; tests replace it. */
export interface CommandContext {
  environment: Environment
  platform: Platform
  signals: Pick<StopSignals, 'stop' | 'abandon' | 'nextReload'>
  /** Whether the chain has just been created, so that a member of a committee may sign at once. @default false */
  isFreshChain?: boolean
  /** Called with every event, too. */
  onEvent?: Report
  print: (text: string) => void
}

/** Runs the agent to its end and returns the exit code. Logs the error if it cannot run. */
export function runAgentCommand(options: CommandOptions, context: CommandContext): Promise<number> {
  const { environment, signals, platform } = context
  const unattended = {
    name: 'agent',
    abandon: signals.abandon,
    wait: (ms: number) => platform.wait(ms, new AbortController().signal),
    exitCodes: {
      failed: exitCodes.notRun,
      abandoned: options.once ? exitCodes.someFailed : exitCodes.done,
    },
  }
  return runUnattended(unattended, async (openRedacted) => {
    const settings = readAgentSettings(environment, { writes: !options.dryRun, fetches: true })
    const { log, redact } = openRedacted(settings.logLevel, agentSecrets(settings))
    log.info(describeSource(settings), 'starting')
    await assertCheckpointFile(settings.checkpointFile)
    return run(settings, options, { ...context, redact, log })
  })
}

interface RunContext extends CommandContext {
  redact: (text: string) => string
  log: Log
}

/** Runs the agent with its settings, and prints the outcomes. Returns the exit code. */
async function run(
  settings: AgentSettings,
  { once: isOnce = false, dryRun: isDryRun = false, json = false, feed = [], interval = {} }: CommandOptions,
  { platform, signals, isFreshChain = false, print, onEvent = () => {}, redact, log }: RunContext,
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
    isFreshChain,
    log,
    metrics: createAgentMetrics(),
    platform,
    onEvent(event) {
      if (event.event === 'outcome' && json) print(outcomeLine(event.outcome, redact))
      if (event.event === 'cycle') {
        if (isOnce) exitCode = exitCodeOf(event.outcomes)
        if (!json) print(redact(formatOutcomes(inOrder(event.outcomes, feedsFile.feeds))))
      }
      return onEvent(event)
    },
  })
  return exitCode
}

/** Sorts outcomes, which arrive in any order, like the feeds file. */
function inOrder(outcomes: readonly FeedOutcome[], feeds: readonly FeedConfig[]): readonly FeedOutcome[] {
  const byId = new Map(outcomes.map((outcome) => [outcome.feedId, outcome]))
  return feeds.flatMap(({ feed_id }) => byId.get(feed_id) ?? [])
}

/** The agent was stopped before a feed was done. */
const StoppedError = defineError(
  'StoppedError',
  'stopped',
  () => 'the agent was stopped before the feed was done; the next run resumes it',
  { retryable: true },
)

/** The signals that end the agent, and those that reload its feeds file. */
export interface StopSignals extends Signals {
  /** Asks for a reload. */
  reload(): void
  /** Returns a signal that is aborted by the next {@link StopSignals.reload}. */
  nextReload(): AbortSignal
}

export function createStopSignals(wait: (ms: number) => Promise<void>): StopSignals {
  let reload = new AbortController()
  return {
    ...createSignals(wait, new StoppedError()),
    reload() {
      const asked = reload
      reload = new AbortController()
      asked.abort()
    },
    nextReload: () => reload.signal,
  }
}
