import { sleep } from '../../../casper/sleep.ts'
import { WattfeedError } from '../../../errors.ts'
import type { Log } from '../../../program/log.ts'
import type { FeedOutcome } from '../../loop/feedOutcome.ts'
import { defaultIntervals } from '../../loop/intervals.ts'
import type { Platform } from '../../loop/platform.ts'
import { runAgent } from '../../loop/runAgent.ts'
import { createAgentMetrics } from '../../monitor/agentMetrics.ts'
import type { Settlement } from '../../outbox/settledTransaction.ts'
import type { AgentSettings } from '../../settings/agentSettings.ts'
import { reportAttest } from '../attestReport.ts'
import { formatAttest } from '../formatAttest.ts'
import { formatStep } from '../formatStep.ts'
import { loadFeeds } from '../loadFeeds.ts'
import { pickFeed } from '../pickFeed.ts'
import { exitCodes } from './exitCodes.ts'
import type { Listener, Outcome } from './outcome.ts'

const platform: Platform = {
  fetch: (url, init) => fetch(url, init),
  now: Date.now,
  wait: sleep,
  random: Math.random,
}

/** `feeds attest <id>`: one turn of the agent for one feed. */
export async function attest(
  settings: AgentSettings,
  feedId: string,
  { dryRun: isDryRun = false }: { dryRun?: boolean },
  { warn, progress }: Listener,
): Promise<Outcome> {
  const feed = pickFeed(await loadFeeds(settings.feedsFile), feedId)
  const outcomes: FeedOutcome[] = []
  const settlements: Settlement[] = []
  const never = new AbortController().signal
  await runAgent({
    settings,
    feeds: [feed],
    intervals: defaultIntervals,
    isOnce: true,
    isDryRun,
    log: createListenerLog(warn),
    metrics: createAgentMetrics(),
    platform,
    onOutcome: (outcome) => outcomes.push(outcome),
    onCycle: () => {},
    onStep(step) {
      if (step.step === 'settled') settlements.push(step)
      const line = formatStep(step)
      if (line !== null) progress(line)
    },
    stop: never,
    abandon: never,
  })
  const [outcome] = outcomes
  if (outcome === undefined) throw new TypeError('the feed was not tried')
  // What nobody expected is shown with its stack.
  if (outcome.error !== null && !(outcome.error instanceof WattfeedError)) throw outcome.error
  const report = reportAttest(settings.chainName, isDryRun, outcome, settlements)
  return { report, text: formatAttest(report), exitCode: exitCodeOfOutcome(outcome) }
}

function exitCodeOfOutcome({ error, transactionHash }: FeedOutcome): number {
  if (error === null) return exitCodes.done
  return transactionHash === null ? exitCodes.notRun : exitCodes.someFailed
}

/** What of the agent's log a person should know. What becomes of the feed is in the report. */
function createListenerLog(warn: Listener['warn']): Log {
  const tell = (fields: object, message: string): void => {
    if ('feed_id' in fields) return
    warn([message, ...Object.values(fields).filter((value) => typeof value === 'string')].join(': '))
  }
  return { info: () => {}, warn: tell, error: tell }
}
