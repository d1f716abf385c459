import { exitCodes } from '../../../agent/exitCodes.ts'
import type { FeedOutcome } from '../../../agent/feedOutcome.ts'
import { loadFeeds, pickFeed } from '../../../agent/feeds/loadFeeds.ts'
import { defaultIntervals } from '../../../agent/intervals.ts'
import type { Platform } from '../../../agent/loop/openAgent.ts'
import { runAgent } from '../../../agent/loop/runAgent.ts'
import { createAgentMetrics } from '../../../agent/monitor/agentMetrics.ts'
import type { SettledStep } from '../../../agent/outbox/outboxStep.ts'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { sleep } from '../../../async/sleep.ts'
import { WattfeedError } from '../../../errors.ts'
import type { Log } from '../../../runtime/log.ts'
import { formatAttest, formatStep, reportAttest } from '../attestReport.ts'
import type { Listener, Outcome } from './command.ts'

const platform: Platform = {
  fetch: (url, init) => fetch(url, init),
  now: Date.now,
  wait: sleep,
  random: Math.random,
}

/** `feeds attest <id>`: one cycle of the agent for one feed, also beside a running agent. */
export async function attest(
  settings: AgentSettings,
  feedId: string,
  { dryRun: isDryRun = false }: { dryRun?: boolean },
  { warn, progress }: Listener,
): Promise<Outcome> {
  const feed = pickFeed(await loadFeeds(settings.feedsFile), feedId)
  const outcomes: FeedOutcome[] = []
  const settlements: SettledStep[] = []
  const never = new AbortController().signal
  await runAgent({
    settings,
    feeds: [feed],
    intervals: defaultIntervals,
    isOnce: true,
    isDryRun,
    purpose: 'attest',
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
  // An unexpected error is shown with its stack.
  if (outcome.error !== null && !(outcome.error instanceof WattfeedError)) throw outcome.error
  const report = reportAttest(settings.chainName, isDryRun, outcome, settlements)
  return { report, text: formatAttest(report), exitCode: exitCodeOfOutcome(outcome) }
}

function exitCodeOfOutcome({ error, transactionHash }: FeedOutcome): number {
  if (error === null) return exitCodes.done
  return transactionHash === null ? exitCodes.notRun : exitCodes.someFailed
}

/** Passes the agent's warnings on, except those about the feed, which are in the report. */
function createListenerLog(warn: Listener['warn']): Log {
  const pass = (fields: object, message: string): void => {
    if ('feed_id' in fields) return
    warn([message, ...Object.values(fields).filter((value) => typeof value === 'string')].join(': '))
  }
  return { info: () => {}, warn: pass, error: pass }
}
