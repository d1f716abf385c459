import { join } from 'node:path'
import { type OutboxStep, type Report, reportTo, type SettledStep } from '../../agent/events.ts'
import { exitCodes } from '../../agent/exitCodes.ts'
import { type FeedOutcome, transactionOf } from '../../agent/feedOutcome.ts'
import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import { loadFeeds, pickFeed } from '../../agent/feeds/loadFeeds.ts'
import { defaultIntervals } from '../../agent/intervals.ts'
import { createAgentMetrics } from '../../agent/monitor/agentMetrics.ts'
import { logEvent } from '../../agent/monitor/logEvents.ts'
import { createAgentWatch } from '../../agent/monitor/watchAgent.ts'
import { createCycles } from '../../agent/run/cycle.ts'
import { type JoinedCommittee, joinCommittee } from '../../agent/run/joinCommittee.ts'
import { type OpenAgent, openAgent, type Platform, systemPlatform } from '../../agent/run/openAgent.ts'
import { loadKey } from '../../agent/run/runAgent.ts'
import type { AgentSettings } from '../../agent/settings/agentSettings.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import { WattfeedError } from '../../errors.ts'
import { acquireLock } from '../../runtime/lockFile.ts'
import type { Log } from '../../runtime/log.ts'
import type { CommandResult, Terminal } from '../../runtime/terminal.ts'
import type { Program, WriteOptions } from '../program.ts'
import { startWaiting, type Waiting } from '../progress.ts'
import { formatAttest, formatStep, reportAttest } from './attestReport.ts'
import { dryRunOption, runFeeds } from './runFeeds.ts'

const help = `
Fetches the newest value of one configured feed, decides as the agent does, and attests it if it is new. A transaction
that an interrupted run or agent left pending is settled first. Needs EIA_API_KEY; with --dry-run no
ATTESTER_KEY_PATH.

If the key does not sign alone, set COMMITTEE_PEERS: the command becomes a member of the committee until the value is
attested. Stop the agent of the same AGENT_STATE_DIR first. The other members must be running. It takes a few minutes,
because a member signs nothing in its first two.

Examples:
  $ bun run feeds attest EIA.PET.PRICE.WTI.DAILY --dry-run
  $ bun run feeds attest EIA.PET.PRICE.WTI.DAILY --json`

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

/**
 * Runs one cycle of the agent for one feed, also beside a running agent. A member of a committee needs the state folder for
 * itself.
 */
export async function attest(
  settings: AgentSettings,
  feedId: string,
  { dryRun: isDryRun = false }: { dryRun?: boolean },
  { warn, progress }: Pick<Terminal, 'warn' | 'progress' | 'milestone'>,
  platform: Platform = systemPlatform,
): Promise<CommandResult> {
  const feeds = await loadFeeds(settings.feedsFile)
  const feed = pickFeed(feeds, feedId)
  const settlements: SettledStep[] = []
  const never = new AbortController().signal
  const log = createListenerLog(warn)
  const signer = await loadKey(settings, log)
  const hear: Report = (event) => {
    if (event.event !== 'step') return
    const { step } = event
    if (step.step === 'settled') settlements.push(step)
    noteStep(waiting, step)
    const line = formatStep(step)
    if (line !== null) progress(line)
  }
  const reportAs = (log: Log): Report => reportTo([(event) => logEvent(log, event), hear], log)
  const report = reportAs(log)
  using agent = openAgent({
    settings,
    signer,
    isDryRun,
    purpose: 'attest',
    isOnce: true,
    log,
    report,
    platform,
    stop: never,
    abandon: never,
  })
  using waiting = startWaiting({ rpc: agent.rpc, say: warn })
  using folder = new DisposableStack()
  const parts = { settings, signer, agent, feeds, platform, isDryRun }
  const committeeLog: Log = { ...log, info: (_, message) => progress(message) }
  await using committee = await joinOnce(parts, {
    log: committeeLog,
    report: reportAs(committeeLog),
    onJoin: () => folder.use(acquireLock(join(settings.stateDir, 'lock'), 'attest')),
  })
  const { look, openOutbox } = committee ?? agent
  const { openView } = agent
  const cycles = createCycles({ look, openView, openOutbox, report, patienceMs: null, wait: platform.wait })
  const [outcome] = await cycles.begin([feed]).done
  if (outcome === undefined) throw new TypeError('the cycle returned no outcome for the feed')
  // An unexpected error is shown with its stack.
  if (outcome.error !== null && !(outcome.error instanceof WattfeedError)) throw outcome.error
  const result = reportAttest(settings.chainName, isDryRun, outcome, settlements)
  return { report: result, text: formatAttest(result), exitCode: exitCodeOfOutcome(outcome) }
}

interface Parts {
  settings: AgentSettings
  signer: Signer | null
  agent: OpenAgent
  feeds: readonly FeedConfig[]
  platform: Platform
  isDryRun: boolean
}

/** Joins the committee of COMMITTEE_PEERS for the time of the command; null if the key signs alone. */
export async function joinOnce(
  { signer, isDryRun, feeds, ...parts }: Parts,
  { log, report, onJoin }: { log: Log; report: Report; onJoin: () => void },
): Promise<JoinedCommittee | null> {
  if (signer === null || isDryRun) return null
  const never = new AbortController().signal
  return joinCommittee({
    ...parts,
    signer,
    log,
    report,
    onJoin,
    feeds: () => feeds,
    watch: createAgentWatch({
      ...parts.platform,
      feeds,
      intervals: defaultIntervals,
      metrics: createAgentMetrics(),
      log,
    }),
    isOnce: true,
    isFreshChain: false,
    stop: never,
    abandon: never,
  })
}

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
