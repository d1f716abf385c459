import { WattfeedError } from '@wattfeed/base'
import { getBalance } from '@wattfeed/casper/transaction'
import type { NewAttestation } from 'wattfeed/internal'
import { QuorumDisagreedError } from '../../../agent/committee/ballots.ts'
import { readChainFeed } from '../../../agent/look/observe.ts'
import type { ChainValue } from '../../../agent/plan/decide.ts'
import { assertBasis } from '../../../agent/send/checkChain.ts'
import { NewStateError } from '../../../agent/state/newState.ts'
import { printable } from '../../../runtime/printable.ts'
import { formatCspr } from '../../amounts.ts'
import { plural } from '../../plural.ts'
import { formatPlan } from './backfillReport.ts'
import type { BackfillRun } from './backfillState.ts'
import { BackfillError, type BackfillPlan, periodText } from './planBackfill.ts'
import { readPlan } from './readPlan.ts'

const SAY_EVERY_MS = 10_000
/** The number of consecutive failures that end a backfill, and the wait after each. A transaction resets the count. */
const MAX_FAILURES = 5
const RETRY_MS = 15_000

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

/** Returns whether a retryable error lasts for longer than the attempts. */
const isLasting = (error: WattfeedError): boolean =>
  error instanceof QuorumDisagreedError || error instanceof NewStateError

async function attestMissing(run: BackfillRun): Promise<void> {
  const { agent, committee, feed, isDryRun, listener, state } = run
  const { outbox } = await (committee ?? agent).openAttesting()
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
  const { latest } = await readChainFeed(feed, view)
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
  const line = `${printable(feed.feed_id)}: ${state.attested} of ${plural(all.length, 'period')}, up to ${periodText(feed, attested.at(-1)?.period ?? 0)}; ${formatCspr(state.chargedMotes)} so far`
  const isDue = platform.now() - state.saidAt >= SAY_EVERY_MS
  if (isDue) state.saidAt = platform.now()
  const say = isDue ? listener.milestone : listener.progress
  say(line)
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
