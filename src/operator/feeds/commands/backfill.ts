import { exitCodes } from '../../../agent/exitCodes.ts'
import { loadFeeds, pickFeed } from '../../../agent/feeds/loadFeeds.ts'
import { assertVerified } from '../../../agent/plan/attestable.ts'
import { openAgent, type Platform } from '../../../agent/run/openAgent.ts'
import type { OutboxStep, SettledTransaction } from '../../../agent/send/outboxStep.ts'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { loadSigner, type Signer } from '../../../casper/transaction/signer.ts'
import type { WattfeedError } from '../../../errors.ts'
import { errorFields } from '../../../runtime/errorFields.ts'
import { printable } from '../../../runtime/printable.ts'
import { formatCspr } from '../../amounts.ts'
import { startWaiting } from '../../progress.ts'
import { formatStep } from '../attestReport.ts'
import { type BackfillReport, formatBackfill } from '../backfillReport.ts'
import { periodText, readRange } from '../planBackfill.ts'
import { type BackfillRun, type BackfillState, runBackfill } from '../runBackfill.ts'
import { createListenerLog, noteStep, systemPlatform } from './attest.ts'
import type { Listener, Outcome } from './command.ts'

export interface BackfillOptions {
  /** A period as EIA writes it. */
  from: string
  /** @default the newest */
  to?: string
  dryRun?: boolean
  andRestate?: boolean
}

/** What tests replace. */
export interface BackfillParts {
  platform: Platform
  /** Called with every step of every transaction, and awaited. */
  onStep?: (step: OutboxStep) => unknown
}

/** `feeds backfill <id> --from <period>`: attests the past of a feed, also beside a running agent. */
export async function backfill(
  settings: AgentSettings,
  feedId: string,
  { dryRun: isDryRun = false, andRestate: restates = false, ...periods }: BackfillOptions,
  listener: Listener,
  { platform, onStep }: BackfillParts = { platform: systemPlatform },
): Promise<Outcome> {
  const feed = pickFeed(await loadFeeds(settings.feedsFile), feedId)
  const range = readRange(feed, periods)
  assertVerified(feed, settings.chainName)
  const signer = await loadPayer(settings, isDryRun, listener)
  const state: BackfillState = {
    plan: null,
    attested: 0,
    hasSent: false,
    transactions: 0,
    chargedMotes: 0n,
    saidAt: 0,
  }
  const never = new AbortController().signal
  const agent = openAgent({
    settings,
    signer,
    isDryRun,
    purpose: 'backfill',
    isOnce: true,
    log: createListenerLog(listener.warn),
    metrics: { upstream: () => {}, throttled: () => {} },
    platform,
    async onStep(step) {
      await onStep?.(step)
      noteStep(waiting, step)
      if (step.step === 'written') state.hasSent = true
      if (step.step === 'settled') noteSettled(feedId, step.settled, state, listener)
      const line = formatStep(step)
      if (line !== null) listener.progress(line)
    },
    abandon: never,
  })
  using waiting = startWaiting({ rpc: agent.rpc, say: listener.warn })
  // Before the chain is read: from here on nobody else attests to it.
  using _feed = isDryRun ? null : agent.locks.hold(feedId)
  const run: BackfillRun = {
    agent,
    settings,
    signer,
    feed,
    range,
    restates,
    isDryRun,
    platform,
    listener,
    state,
  }
  const error = await runBackfill(run)
  const report = reportOf(settings.chainName, run, error)
  return {
    report,
    text: formatBackfill(report),
    exitCode: error === null ? exitCodes.done : exitCodes.someFailed,
  }
}

/** Counts a transaction. Before there is a plan it is an earlier run's, which the estimate does not cover. */
function noteSettled(
  feedId: string,
  { feedIds, outcome, chargedMotes }: SettledTransaction,
  state: BackfillState,
  { milestone }: Listener,
): void {
  if (chargedMotes === null || feedIds.some((each) => each !== feedId)) return
  if (state.plan === null) {
    const cost = formatCspr(chargedMotes)
    milestone(printable(`${feedId}: a transaction of an earlier run was executed, for ${cost}`))
    return
  }
  state.transactions += outcome === 'executed' ? 1 : 0
  state.chargedMotes += chargedMotes
}

async function loadPayer(
  { keyPath, account }: AgentSettings,
  isDryRun: boolean,
  { warn }: Listener,
): Promise<Signer | null> {
  if (isDryRun && keyPath === null) return null
  const { signer, warning } = await loadSigner(keyPath, account)
  if (warning !== null) warn(warning)
  return signer
}

function reportOf(
  chainName: string,
  { feed, isDryRun, state: { plan, attested, transactions, chargedMotes } }: BackfillRun,
  error: WattfeedError | null,
): BackfillReport {
  const { groups = [], periods = [], heldPeriods = 0, leftOut = [], estimatedMotes = 0n } = plan ?? {}
  const [first, last] = [periods[0], periods.at(-1)]
  return {
    command: 'backfill',
    chain_name: chainName,
    feed_id: feed.feed_id,
    is_dry_run: isDryRun,
    periods: periods.length,
    from: first === undefined ? null : periodText(feed, first),
    to: last === undefined ? null : periodText(feed, last),
    attested,
    transactions: isDryRun ? groups.length : transactions,
    held: heldPeriods,
    left_out: leftOut,
    estimated_motes: `${estimatedMotes}`,
    charged_motes: `${chargedMotes}`,
    error: error && errorFields(error),
  }
}
