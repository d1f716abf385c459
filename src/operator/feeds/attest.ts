import { exitCodes } from '../../agent/exitCodes.ts'
import { type FeedOutcome, transactionOf } from '../../agent/feedOutcome.ts'
import { loadFeeds, pickFeed } from '../../agent/feeds/loadFeeds.ts'
import { createCycles } from '../../agent/run/cycle.ts'
import { openAgent, type Platform } from '../../agent/run/openAgent.ts'
import { loadKey } from '../../agent/run/runAgent.ts'
import type { OutboxStep, SettledStep } from '../../agent/send/outboxStep.ts'
import type { AgentSettings } from '../../agent/settings/agentSettings.ts'
import { sleep } from '../../async/sleep.ts'
import { WattfeedError } from '../../errors.ts'
import type { Log } from '../../runtime/log.ts'
import type { CommandResult, Terminal } from '../../runtime/terminal.ts'
import type { Program, WriteOptions } from '../program.ts'
import { startWaiting, type Waiting } from '../progress.ts'
import { formatAttest, formatStep, reportAttest } from './attestReport.ts'
import { dryRunOption, runFeeds } from './settings.ts'

const help = `
Fetches the newest value of one configured feed, decides as the agent does, and attests it if it is new. A transaction
that an interrupted run or agent left pending is settled first. Needs EIA_API_KEY; with --dry-run no
ATTESTER_KEY_PATH.

Examples:
  $ bun run feeds attest EIA.PET.PRICE.WTI.DAILY --dry-run
  $ bun run feeds attest EIA.PET.PRICE.WTI.DAILY --json`

/** `feeds attest <id>` */
export function addAttest(program: Program): void {
  program
    .add('attest', 'fetch, check and attest one feed, as the agent does', help)
    .option(...dryRunOption)
    .argument('<id>', 'a feed of the feeds file')
    .action((id: string, options: WriteOptions) => {
      const needs = { writes: options.dryRun !== true, fetches: true }
      return runFeeds(program, 'attest', options, needs, (settings) =>
        attest(settings, id, options, program.terminal),
      )
    })
}

/** The platform of the commands that attest. */
export const systemPlatform: Platform = {
  fetch: (url, init) => fetch(url, init),
  now: Date.now,
  steadyNow: () => performance.now(),
  wait: sleep,
  random: Math.random,
}

/** Runs one cycle of the agent for one feed, also beside a running agent. */
async function attest(
  settings: AgentSettings,
  feedId: string,
  { dryRun: isDryRun = false }: { dryRun?: boolean },
  { warn, progress }: Pick<Terminal, 'warn' | 'progress' | 'milestone'>,
): Promise<CommandResult> {
  const feed = pickFeed(await loadFeeds(settings.feedsFile), feedId)
  const settlements: SettledStep[] = []
  const never = new AbortController().signal
  const log = createListenerLog(warn)
  const signer = await loadKey(settings, log)
  const agent = openAgent({
    settings,
    signer,
    isDryRun,
    purpose: 'attest',
    isOnce: true,
    log,
    metrics: { upstream: () => {}, throttled: () => {} },
    platform: systemPlatform,
    onStep(step) {
      if (step.step === 'settled') settlements.push(step)
      noteStep(waiting, step)
      const line = formatStep(step)
      if (line !== null) progress(line)
    },
    abandon: never,
  })
  using waiting = startWaiting({ rpc: agent.rpc, say: warn })
  const cycles = createCycles({
    ...agent,
    ...systemPlatform,
    ...settings,
    accountHash: signer?.accountHash ?? null,
    patienceMs: null,
    stop: never,
    onOutcome: () => {},
  })
  const [outcome] = await cycles.begin([feed]).done
  if (outcome === undefined) throw new TypeError('the cycle returned no outcome for the feed')
  // An unexpected error is shown with its stack.
  if (outcome.error !== null && !(outcome.error instanceof WattfeedError)) throw outcome.error
  const report = reportAttest(settings.chainName, isDryRun, outcome, settlements)
  return { report, text: formatAttest(report), exitCode: exitCodeOfOutcome(outcome) }
}

/** Notes a step of a transaction that the command waits for. */
export function noteStep({ note }: Waiting, step: OutboxStep): void {
  const transaction = step.step === 'settled' ? step.settled : 'transactionHash' in step ? step : null
  if (transaction === null) return
  const expires_at = 'expiresAt' in step ? step.expiresAt : 0
  note({ step: step.step, pending: { transaction_hash: transaction.transactionHash, expires_at } })
}

function exitCodeOfOutcome(outcome: FeedOutcome): number {
  if (outcome.error === null) return exitCodes.done
  return transactionOf(outcome) === null ? exitCodes.notRun : exitCodes.someFailed
}

/** Forwards the agent's warnings, except those about the feed, which are in the report. */
export function createListenerLog(warn: Pick<Terminal, 'warn' | 'progress' | 'milestone'>['warn']): Log {
  const pass = (fields: object, message: string): void => {
    if ('feed_id' in fields) return
    warn([message, ...Object.values(fields).filter((value) => typeof value === 'string')].join(': '))
  }
  return { info: () => {}, warn: pass, error: pass }
}
