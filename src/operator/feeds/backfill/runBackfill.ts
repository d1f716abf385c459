import { QuorumDisagreedError } from '../../../agent/committee/ballots.ts'
import { BACKFILL_SPAN } from '../../../agent/committee/pastReader.ts'
import { type FeedConfig, seriesOf } from '../../../agent/feeds/feedConfig.ts'
import { readState } from '../../../agent/look/observe.ts'
import { assertAttestable } from '../../../agent/plan/assertAttestable.ts'
import type { BatchOptions } from '../../../agent/plan/attestCall.ts'
import type { ChainValue } from '../../../agent/plan/decide.ts'
import type { JoinedCommittee } from '../../../agent/run/joinCommittee.ts'
import type { OpenAgent } from '../../../agent/run/openAgent.ts'
import type { Platform } from '../../../agent/run/platform.ts'
import { assertBasis } from '../../../agent/send/checkChain.ts'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { NewStateError } from '../../../agent/state/newState.ts'
import { getBalance } from '../../../casper/transaction/account.ts'
import type { Signer } from '../../../casper/transaction/signer.ts'
import type { Client } from '../../../client/createClient.ts'
import { encodePeriod } from '../../../eia/period.ts'
import type { EiaRow } from '../../../eia/series.ts'
import { WattfeedError } from '../../../errors.ts'
import type { NewAttestation } from '../../../registry/calls.ts'
import { printable } from '../../../runtime/printable.ts'
import { formatCspr } from '../../amounts.ts'
import { countPeriods, formatPlan } from './backfillReport.ts'
import {
  assertRoom,
  BackfillError,
  type BackfillPlan,
  type PeriodRange,
  periodText,
  planBackfill,
} from './planBackfill.ts'

/** More than any series has: 22 years of hours. All of them are in memory. */
const MAX_ROWS = 200_000
/** Maximum length of a page of EIA. */
const PAGE_LENGTH = 5_000
/** Values of a history that are read between two lines of progress. */
const CHUNK = 200
const SAY_EVERY_MS = 10_000
/** The number of consecutive failures that end a backfill, and the wait after each. A transaction resets the count. */
const MAX_FAILURES = 5
const RETRY_MS = 15_000

interface BackfillListener {
  progress: (line: string) => void
  /** Also where there is no terminal. */
  milestone: (line: string) => void
}

export interface BackfillState {
  /** The first plan; null until something is known. */
  plan: BackfillPlan | null
  /** Number of its periods on chain. */
  attested: number
  /** Whether a transaction may have reached a node. */
  hasSent: boolean
  /** Number and cost of the executed transactions, without those of an earlier run. */
  transactions: number
  chargedMotes: bigint
  /** When progress was last reported, in epoch milliseconds. */
  saidAt: number
  /** Whether a committee attests it. */
  isTogether: boolean
}

/** A backfill of one feed. No other process attests to it meanwhile. */
export interface BackfillRun {
  agent: OpenAgent
  settings: Pick<AgentSettings, 'gasPriceTolerance'>
  /** Null in a dry run without a key. */
  signer: Signer | null
  /** Null if the key signs alone, and in a dry run. */
  committee: JoinedCommittee | null
  feed: FeedConfig
  range: PeriodRange
  restates: boolean
  isDryRun: boolean
  platform: Pick<Platform, 'now' | 'wait'>
  listener: BackfillListener
  state: BackfillState
}

/**
 * Attests everything, and retries after transient failures. Returns the error that ended it, or null.
 *
 * @throws the error that rejects the backfill before anything is sent.
 */
export async function runBackfill(run: BackfillRun): Promise<WattfeedError | null> {
  const { feed, platform, listener, state } = run
  for (let failures = 0; ; ) {
    const before = state.transactions
    try {
      await attestMissing(run)
      return null
    } catch (error) {
      if (state.plan === null || !(error instanceof WattfeedError)) throw error
      failures = state.transactions > before ? 1 : failures + 1
      if (!error.retryable || isLasting(error) || failures === MAX_FAILURES) {
        if (state.hasSent) return error
        throw error
      }
      listener.milestone(printable(`${feed.feed_id}: ${error.message}; retrying in ${RETRY_MS / 1_000} s`))
      await platform.wait(RETRY_MS, new AbortController().signal)
    }
  }
}

/** Whether a retryable error lasts for longer than the attempts. */
const isLasting = (error: WattfeedError): boolean =>
  error instanceof QuorumDisagreedError || error instanceof NewStateError

async function attestMissing(run: BackfillRun): Promise<void> {
  const { agent, committee, feed, isDryRun, listener, state } = run
  const outbox = await (committee ?? agent).openOutbox()
  await outbox.resume()
  const plan = await readPlan(run, outbox)
  if (state.plan === null) {
    await assertBalance(run, plan)
    for (const line of formatPlan(feed, plan)) listener.milestone(line)
    state.plan = plan
    state.saidAt = run.platform.now()
  }
  // Includes the transactions that were settled since the last attempt.
  const missing = new Set(plan.periods)
  state.attested = state.plan.periods.filter((period) => !missing.has(period)).length
  let basedOn: ChainValue | null = plan.latest
  // A dry run lacks the effect of the first transaction, which the next one is based on.
  for (const group of isDryRun ? plan.groups.slice(0, 1) : plan.groups) {
    const basis = { basedOn, isPast: true }
    if (outbox.isTogether) {
      // The committee's plans continue meanwhile, so that its basis is checked here.
      const height = await heightOfBasis(run, basedOn)
      // Any member may send it, which this one need not notice.
      state.hasSent = true
      await outbox.attest(group, { ...basis, height })
      state.transactions += 1
    } else await outbox.attest(group, basis)
    basedOn = group.at(-1) ?? null
    if (!isDryRun) sayProgress(run, plan, group)
  }
}

/** Returns the height of a block at which the feed has this newest value. @throws {ChainMovedError} */
async function heightOfBasis({ agent, feed }: BackfillRun, basedOn: ChainValue | null): Promise<number> {
  const view = await agent.openView()
  const { latest } = await readState(feed, view)
  assertBasis(feed.feed_id, { basedOn }, latest)
  return view.block.height
}

/** Reports progress: often at a terminal, every ten seconds in a log. */
function sayProgress(
  { feed, listener, platform, state }: BackfillRun,
  { periods, latest }: BackfillPlan,
  group: readonly NewAttestation[],
): void {
  const attested = group.filter(({ period }) => period !== latest?.period)
  state.attested += attested.length
  // A retry plans what is left, and the first plan has all.
  const all = state.plan?.periods ?? periods
  const line = `${printable(feed.feed_id)}: ${state.attested} of ${countPeriods(all.length)}, up to ${periodText(feed, attested.at(-1)?.period ?? 0)}; ${formatCspr(state.chargedMotes)} so far`
  const isDue = platform.now() - state.saidAt >= SAY_EVERY_MS
  if (isDue) state.saidAt = platform.now()
  const say = isDue ? listener.milestone : listener.progress
  say(line)
}

async function readPlan(run: BackfillRun, { offersMany, paymentMotes }: BatchOptions): Promise<BackfillPlan> {
  const { agent, signer, feed, range, restates, platform, listener } = run
  const state = await readState(feed, await agent.openView())
  assertAttestable(feed, state, signer?.accountHash ?? null)
  const { isTogether } = run.state
  if (isTogether && state.latest === null) throw noValue(feed)
  const rows = (await listRows(agent, feed, range)).filter(
    // The members attest later values by themselves.
    (row) => !isTogether || encodePeriod(feed.frequency, row.period) < (state.latest?.period ?? 0),
  )
  const { gasPriceTolerance } = run.settings
  const input = {
    // Members do not approve forecasts of the past.
    feed: isTogether ? { ...feed, allow_future: false } : feed,
    rows,
    latest: state.latest,
    restates,
    span: isTogether ? BACKFILL_SPAN : Number.POSITIVE_INFINITY,
    gasPriceTolerance,
    now: platform.now(),
  }
  const batch = { offersMany, paymentMotes }
  if (state.latest === null) return planBackfill({ ...input, batch, held: new Set() })
  const count = await agent.client.getValueCount(feed.feed_id)
  // Rejects most impossible backfills without reading a history of a hundred thousand values.
  if (!restates) assertRoom(input, count)
  return planBackfill({ ...input, batch, held: await readHeld(agent.client, feed, count, listener) })
}

const noValue = ({ feed_id }: FeedConfig): BackfillError =>
  new BackfillError({
    feedId: feed_id,
    reason: 'committee',
    message:
      'the chain has no value of the feed yet, and the members of a committee attest the newest one first; run the command again when they have',
  })

async function listRows(
  { eia }: OpenAgent,
  feed: FeedConfig,
  { from, to }: PeriodRange,
): Promise<readonly EiaRow[]> {
  const listing = { since: from - 1, most: MAX_ROWS, pageLength: PAGE_LENGTH }
  const { rows, isComplete } = await eia.listRowsSince(seriesOf(feed), listing)
  if (!isComplete)
    throw new BackfillError({
      feedId: feed.feed_id,
      reason: 'too_many_rows',
      message: `only ${rows.length} of EIA's periods since ${periodText(feed, from)} can be listed; choose a later --from`,
    })
  return rows.filter(({ period }) => to === null || encodePeriod(feed.frequency, period) <= to)
}

/** Reads which periods have a value on chain: they are not attested again. */
async function readHeld(
  client: Pick<Client, 'getValueHistory'>,
  { feed_id }: FeedConfig,
  count: number,
  { progress }: BackfillListener,
): Promise<ReadonlySet<number>> {
  const held = new Set<number>()
  for (let from = 0; from < count; from += CHUNK) {
    const to = Math.min(count, from + CHUNK)
    for (const { period } of await client.getValueHistory(feed_id, { from, to })) held.add(period)
    progress(`${printable(feed_id)}: ${to} of ${count} values on chain read`)
  }
  return held
}

/** A backfill that runs out of money half-way would leave an old period as the newest value. */
async function assertBalance(
  { agent, signer, feed }: BackfillRun,
  { neededMotes, groups }: BackfillPlan,
): Promise<void> {
  if (signer === null || groups.length === 0) return
  const balance = (await getBalance(agent.rpc, signer.initiator)) ?? 0n
  if (balance >= neededMotes) return
  throw new BackfillError({
    feedId: feed.feed_id,
    reason: 'balance',
    message: `the account has ${formatCspr(balance)}, but the backfill needs ${formatCspr(neededMotes)}; send CSPR to ${signer.accountHash}, or backfill fewer periods`,
  })
}
