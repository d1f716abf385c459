import { join } from 'node:path'
import { exitCodes } from '../../../agent/exitCodes.ts'
import { type FeedConfig, seriesOf } from '../../../agent/feeds/feedConfig.ts'
import { loadFeeds, pickFeed } from '../../../agent/feeds/loadFeeds.ts'
import { assertAttestable, assertVerified } from '../../../agent/loop/decisionInput.ts'
import { type OpenAgent, openAgent, type Platform } from '../../../agent/loop/openAgent.ts'
import { createAgentMetrics } from '../../../agent/monitor/agentMetrics.ts'
import type { Basis } from '../../../agent/outbox/checkChain.ts'
import type { OutboxStep } from '../../../agent/outbox/outboxStep.ts'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { getBalance } from '../../../casper/transaction/account.ts'
import { loadSigner, type Signer } from '../../../casper/transaction/signer.ts'
import type { Client } from '../../../client/createClient.ts'
import { encodePeriod } from '../../../eia/period.ts'
import type { EiaRow } from '../../../eia/series.ts'
import { WattfeedError } from '../../../errors.ts'
import type { NewAttestation } from '../../../registry/calls.ts'
import { errorFields } from '../../../runtime/errorFields.ts'
import { shareLock } from '../../../runtime/lockFile.ts'
import { printable } from '../../../runtime/printable.ts'
import { formatCspr } from '../../amounts.ts'
import { startWaiting } from '../../progress.ts'
import { formatStep } from '../attestReport.ts'
import { type BackfillReport, countPeriods, formatBackfill, formatPlan } from '../backfillReport.ts'
import {
  assertRoom,
  BackfillError,
  type BackfillPlan,
  type PeriodRange,
  periodText,
  planBackfill,
  readRange,
} from '../planBackfill.ts'
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

/** More than any series has: 22 years of hours. All of them are in memory. */
const MAX_ROWS = 200_000
/** The most that EIA gives at once. */
const PAGE_LENGTH = 5_000
/** Values of a history that are read between two lines of progress. */
const CHUNK = 200
const SAY_EVERY_MS = 10_000
/** How often in a row it may fail without a transaction between, and how long it waits each time. */
const MAX_FAILURES = 5
const RETRY_MS = 15_000

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
  using _folder = isDryRun ? null : shareLock(join(settings.stateDir, 'lock'))
  const signer = await loadPayer(settings, isDryRun, listener)
  const state: RunState = { plan: null, attested: 0, transactions: 0, chargedMotes: 0n, saidAt: 0 }
  const never = new AbortController().signal
  const agent = openAgent({
    settings,
    signer,
    isDryRun,
    purpose: 'backfill',
    isOnce: true,
    patienceMs: null,
    log: createListenerLog(listener.warn),
    metrics: createAgentMetrics(),
    platform,
    async onStep(step) {
      await onStep?.(step)
      noteStep(waiting, step)
      if (step.step === 'settled' && step.settled.feedIds.every((each) => each === feedId))
        state.chargedMotes += step.settled.chargedMotes ?? 0n
      const line = formatStep(step)
      if (line !== null) listener.progress(line)
    },
    abandon: never,
  })
  using waiting = startWaiting({ rpc: agent.rpc, say: listener.warn })
  // Before the chain is read: from here on nobody else attests to it.
  using _feed = isDryRun ? null : agent.locks.hold(feedId)
  const run: Run = { agent, settings, signer, feed, range, restates, isDryRun, platform, listener, state }
  const error = await attestAll(run)
  const report = reportOf(run, error)
  return {
    report,
    text: formatBackfill(report),
    exitCode: error === null ? exitCodes.done : exitCodes.someFailed,
  }
}

interface RunState {
  /** The first plan; null until something is known. */
  plan: BackfillPlan | null
  /** Periods attested so far. */
  attested: number
  transactions: number
  chargedMotes: bigint
  /** When progress was last said, in epoch milliseconds. */
  saidAt: number
}

interface Run extends Pick<BackfillParts, 'platform'> {
  agent: OpenAgent
  settings: AgentSettings
  /** Null in a dry run without a key. */
  signer: Signer | null
  feed: FeedConfig
  range: PeriodRange
  restates: boolean
  isDryRun: boolean
  listener: Listener
  state: RunState
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

/**
 * Attests everything; what passes by itself does not end a run of hours. Returns the error that did.
 *
 * @throws what refuses it before anything is sent.
 */
async function attestAll(run: Run): Promise<WattfeedError | null> {
  const { feed, platform, listener, state } = run
  for (let failures = 0; ; ) {
    const before = state.transactions
    try {
      await attestMissing(run)
      return null
    } catch (error) {
      if (state.plan === null || !(error instanceof WattfeedError)) throw error
      failures = state.transactions > before ? 1 : failures + 1
      if (!error.retryable || failures === MAX_FAILURES) {
        if (state.transactions === 0 && state.chargedMotes === 0n) throw error
        return error
      }
      listener.milestone(printable(`${feed.feed_id}: ${error.message}; going on in ${RETRY_MS / 1_000} s`))
      await platform.wait(RETRY_MS, new AbortController().signal)
    }
  }
}

/** Settles what is pending, reads chain and EIA, and attests what the chain lacks. */
async function attestMissing(run: Run): Promise<void> {
  const { agent, feed, isDryRun, listener, state } = run
  const plan = await readPlan(run)
  if (state.plan === null) {
    await assertBalance(run, plan)
    for (const line of formatPlan(feed, plan)) listener.milestone(line)
    state.plan = plan
    state.saidAt = run.platform.now()
  }
  let basis: Basis = { basedOn: plan.latest }
  for (const group of isDryRun ? plan.groups.slice(0, 1) : plan.groups) {
    await agent.sender.send(group, basis)
    basis = { basedOn: lastOf(group) }
    if (!isDryRun) sayProgress(run, plan, group)
  }
}

function lastOf(group: readonly NewAttestation[]): Basis['basedOn'] {
  const last = group.at(-1)
  return last === undefined
    ? null
    : { period: last.period, amount: last.amount, source_hash: last.sourceHash }
}

/** Says how far it is: often at a terminal, every ten seconds in a log. */
function sayProgress(
  { feed, listener, platform, state }: Run,
  { periods, latest }: BackfillPlan,
  group: readonly NewAttestation[],
): void {
  const attested = group.filter(({ period }) => period !== latest?.period)
  state.transactions += 1
  state.attested += attested.length
  const all = state.plan?.periods ?? periods
  const line = `${printable(feed.feed_id)}: ${state.attested} of ${countPeriods(all.length)}, up to ${periodText(feed, attested.at(-1)?.period ?? 0)}; ${formatCspr(state.chargedMotes)} so far`
  const isDue = platform.now() - state.saidAt >= SAY_EVERY_MS
  if (isDue) state.saidAt = platform.now()
  const say = isDue ? listener.milestone : listener.progress
  say(line)
}

async function readPlan(run: Run): Promise<BackfillPlan> {
  const { agent, signer, feed, range, restates, platform, listener } = run
  const { offersMany, paymentMotes } = await agent.sender.prepare()
  const state = await agent.reader.read(feed.feed_id)
  assertAttestable(feed, state, signer?.accountHash ?? null)
  const rows = await listRows(agent, feed, range)
  const { gasPriceTolerance } = run.settings
  const input = { feed, rows, latest: state.latest, restates, gasPriceTolerance, now: platform.now() }
  const batch = { offersMany, paymentMotes }
  if (state.latest === null) return planBackfill({ ...input, batch, held: new Set() })
  const count = await agent.client.getValueCount(feed.feed_id)
  // Most that are refused are so without reading a history of a hundred thousand values.
  if (!restates) assertRoom(input, count)
  return planBackfill({ ...input, batch, held: await readHeld(agent.client, feed, count, listener) })
}

/** Lists EIA's rows of the range. */
async function listRows(
  { eia }: OpenAgent,
  feed: FeedConfig,
  { from, to }: PeriodRange,
): Promise<readonly EiaRow[]> {
  const listing = { since: from - 1, most: MAX_ROWS, pageLength: PAGE_LENGTH }
  const { rows, isComplete } = await eia.listRowsSince(seriesOf(feed), listing)
  if (!isComplete)
    throw new BackfillError(
      feed.feed_id,
      'too_many_rows',
      `only ${rows.length} of EIA's periods since ${periodText(feed, from)} can be listed; choose a later --from`,
    )
  return rows.filter(({ period }) => to === null || encodePeriod(feed.frequency, period) <= to)
}

/** Reads of which periods the chain holds values: what is there is not attested a second time. */
async function readHeld(
  client: Pick<Client, 'getValueHistory'>,
  { feed_id }: FeedConfig,
  count: number,
  { progress }: Listener,
): Promise<ReadonlySet<number>> {
  const held = new Set<number>()
  for (let from = 0; from < count; from += CHUNK) {
    const to = Math.min(count, from + CHUNK)
    for (const { period } of await client.getValueHistory(feed_id, { from, to })) held.add(period)
    progress(`${printable(feed_id)}: ${to} of ${count} values on chain read`)
  }
  return held
}

/** One that ends half-way for lack of money would leave an old period as the newest value. */
async function assertBalance(
  { agent, signer, feed }: Run,
  { neededMotes, groups }: BackfillPlan,
): Promise<void> {
  if (signer === null || groups.length === 0) return
  const balance = (await getBalance(agent.rpc, signer.initiator)) ?? 0n
  if (balance >= neededMotes) return
  throw new BackfillError(
    feed.feed_id,
    'balance',
    `the account has ${formatCspr(balance)}, and this takes ${formatCspr(neededMotes)}; send CSPR to ${signer.accountHash}, or backfill less`,
  )
}

function reportOf(
  { settings, feed, isDryRun, state: { plan, attested, transactions, chargedMotes } }: Run,
  error: WattfeedError | null,
): BackfillReport {
  const { groups = [], periods = [], heldPeriods = 0, leftOut = [], estimatedMotes = 0n } = plan ?? {}
  const [first, last] = [periods[0], periods.at(-1)]
  return {
    command: 'backfill',
    chain_name: settings.chainName,
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
