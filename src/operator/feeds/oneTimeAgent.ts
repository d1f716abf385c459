import { join } from 'node:path'
import { acquireLock } from '@wattfeed/base/disk'
import type { Signer } from '@wattfeed/casper/transaction'
import { type OutboxStep, type Report, reportTo } from '../../agent/events.ts'
import { defaultIntervals } from '../../agent/intervals.ts'
import { createAgentMetrics } from '../../agent/monitor/agentMetrics.ts'
import { logEvent } from '../../agent/monitor/logEvents.ts'
import { createAgentWatch } from '../../agent/monitor/watchAgent.ts'
import { type JoinedCommittee, joinCommittee } from '../../agent/run/joinCommittee.ts'
import { type OpenAgent, openAgent } from '../../agent/run/openAgent.ts'
import type { Platform } from '../../agent/run/platform.ts'
import type { FeedConfig } from '../../feeds/file/feedConfig.ts'
import { createClocks } from '../../runtime/clocks.ts'
import type { Log } from '../../runtime/log.ts'
import { printable } from '../../runtime/printable.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { formatCspr } from '../amounts.ts'
import { eventWords, isEvent, startWaiting, type Waiting } from '../progress.ts'
import type { FeedsSettings } from '../settings.ts'
import { watchSnapshot } from '../watchSnapshot.ts'

/** An agent for the time of one command, which attests to one feed, also beside a running agent. */
export interface OneTimeAgent extends Disposable {
  readonly agent: OpenAgent
  /**
   * Joins the committee of COMMITTEE_PEERS, which needs the state folder for itself. Null if the key signs alone, and in a dry
   * run.
   */
  join(): Promise<JoinedCommittee | null>
}

export interface OneTimeOptions {
  settings: FeedsSettings
  /** Null in a dry run without a key. */
  signer: Signer | null
  feeds: readonly FeedConfig[]
  purpose: 'attest' | 'backfill'
  isDryRun: boolean
  /** Whether a member of a committee attests datasets that have shrunk. @default false */
  acceptsShrunk?: boolean
  terminal: Pick<Terminal, 'warn' | 'progress'>
  platform: Platform
  /** Called with each step of a transaction before others hear of it, and awaited. If it throws, the transaction stops there. */
  onStep: (step: OutboxStep) => unknown
}

/** Opens an agent that shows its warnings and what it waits for. No node is called yet. Dispose of it to close the state. */
export function openOneTimeAgent(options: OneTimeOptions): OneTimeAgent {
  const { settings, signer, feeds, purpose, isDryRun, acceptsShrunk = false, terminal, onStep } = options
  const { agentStateDir: stateDir } = settings
  const log = createWarningLog(terminal.warn)
  const never = new AbortController().signal
  const clocks = createClocks(options.platform)
  const platform = { ...options.platform, fetch: clocks.fetch }
  const common = { settings, platform, isOnce: true, stop: never, abandon: never }
  // Nothing is reported before the agent is open, so `waiting` is there.
  const { progress } = terminal
  const watchDataset = watchSnapshot({ progress, milestone: progress }, platform.steadyNow ?? platform.now)
  const show: Report = (event) => {
    if (event.event === 'dataset_step') watchDataset(event.step)
    if (event.event !== 'step') return
    noteStep(waiting, event.step)
    const line = formatStep(event.step)
    if (line !== null) progress(line)
  }
  const reportAs = (log: Log): Report => {
    const { report } = reportTo([(event) => logEvent(log, event), show], log)
    return async (event) => {
      if (event.event === 'step') await onStep(event.step)
      return report(event)
    }
  }
  using resources = new DisposableStack()
  const agent = resources.use(
    openAgent({ ...common, clocks, signer, isDryRun, purpose, log, report: reportAs(log) }),
  )
  const waiting = resources.use(startWaiting({ rpc: agent.rpc, say: terminal.warn }))
  const opened = resources.move()
  return {
    agent,
    async join() {
      if (signer === null || isDryRun) return null
      const log: Log = {
        ...createWarningLog(terminal.warn),
        info: (_, message) => progress(message),
      }
      // The watch writes them, and nothing reads them: a command has no /metrics.
      const metrics = createAgentMetrics()
      return joinCommittee({
        ...common,
        signer,
        agent,
        log,
        report: reportAs(log),
        onJoin: () => void opened.use(acquireLock(join(stateDir, 'lock'), purpose)),
        feeds: () => feeds,
        watch: createAgentWatch({ ...platform, feeds, intervals: defaultIntervals, metrics, log }),
        isFreshChain: false,
        acceptsShrunk,
      })
    },
    [Symbol.dispose]: () => opened.dispose(),
  }
}

/** Creates a log that shows the agent's warnings only, without those about a feed, which are in the command's report. */
export function createWarningLog(warn: Terminal['warn']): Log {
  const pass = (fields: object, message: string): void => {
    if ('feed_id' in fields) return
    warn([message, ...Object.values(fields).filter((value) => typeof value === 'string')].join(': '))
  }
  return { info: () => {}, warn: pass, error: pass }
}

function noteStep({ note }: Waiting, step: OutboxStep): void {
  if (step.step === 'checked') return
  // A settled transaction is no longer waited for, so its expiry does not matter.
  const { transactionHash, expiresAt } = step.step === 'settled' ? { ...step.settled, expiresAt: 0 } : step
  note({ step: step.step, pending: { transaction_hash: transactionHash, expires_at: expiresAt } })
}

/** Formats a step that people wait for as one line; null for other steps. */
function formatStep(step: OutboxStep): string | null {
  const words = wordsOf(step)
  if (words === null) return null
  const feedIds = step.step === 'settled' ? step.settled.feedIds : step.feedIds
  return `${printable(feedIds.join(', '))}: ${words}`
}

function wordsOf(step: OutboxStep): string | null {
  if (step.step === 'resumed') return `following ${step.transactionHash}, pending from an earlier run`
  if (step.step === 'written') return `sending ${step.transactionHash}`
  if (isEvent(step.step)) return eventWords[step.step]
  if (step.step !== 'settled') return null
  const { outcome, chargedMotes } = step.settled
  return chargedMotes === null ? outcome : `${outcome}, cost ${formatCspr(chargedMotes)}`
}
