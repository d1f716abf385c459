import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import { TransactionExpiredError } from '../../casper/transaction/followTransaction.ts'
import { WattfeedError } from '../../errors.ts'
import { assertBalance, readAccount } from '../contracts/account.ts'
import { duePlan, type Planned, planRegistrations, reportPlan } from './planRegistrations.ts'
import type { Registration } from './registration.ts'
import { type RegistrationReport, reportError, reportNotSent, reportPending } from './registrationReport.ts'
import { sendRegistrations } from './sendRegistrations.ts'
import { settleRegistration } from './settleRegistration.ts'

/**
 * Registers feeds that are new or whose metadata changed, one after another, after seeing that all of them can be
 * paid for. What an interrupted run has sent is followed first, and not sent again.
 *
 * Throws a `PreflightError` where the balance is short, a `RegistrationError` where the pending file is none, and
 * what the client throws where the chain cannot be read; then nothing was sent. What happens to a feed is in its
 * report.
 *
 * @example
 * ```ts
 * const reports = await registerFeeds(registration, await loadFeeds(null))
 * const failed = reports.filter(({ error }) => error !== null)
 * ```
 */
export async function registerFeeds(
  registration: Registration,
  configs: readonly FeedConfig[],
): Promise<RegistrationReport[]> {
  const resumed = await resume(registration)
  const others = configs.filter((config) => config.feed_id !== resumed?.feed_id)
  if (resumed?.error) return [resumed, ...others.map(({ feed_id }) => reportNotSent(feed_id, null))]
  const planned = await planRegistrations(registration, others)
  await assertFunds(registration, planned)
  const reports = registration.isDryRun
    ? planned.map(reportPlan)
    : await sendRegistrations(registration, planned)
  return resumed === null ? reports : [resumed, ...reports]
}

/** Null where nothing is pending, or where it expired: then the feed is still to be registered. */
async function resume(registration: Registration): Promise<RegistrationReport | null> {
  const pending = await registration.pending.read()
  if (pending === null) return null
  if (registration.isDryRun) return reportPending(pending)
  try {
    return await settleRegistration(registration, pending, { isSentBefore: true })
  } catch (error) {
    if (error instanceof TransactionExpiredError) return null
    if (error instanceof WattfeedError) return reportError(pending, error)
    throw error
  }
}

async function assertFunds({ rpc, signer }: Registration, planned: readonly Planned[]): Promise<void> {
  const payments = planned.map((each) => duePlan(each)?.paymentMotes ?? 0n)
  const neededMotes = payments.reduce((sum, payment) => sum + payment, 0n)
  if (neededMotes > 0n) assertBalance(await readAccount(rpc, signer), neededMotes)
}
