import type { Difference } from '../../agent/feeds/feedConfig.ts'
import { isSettled, type Settlement } from '../../casper/transaction/durableSender.ts'
import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import type { Pending } from '../../casper/transaction/pendingStore.ts'
import { WattfeedError } from '../../errors.ts'
import { type ErrorFields, errorFields } from '../../runtime/errorFields.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { printable } from '../../runtime/printable.ts'
import { formatCost, formatCspr, formatTotal } from '../amounts.ts'
import { formatProgress, type Progress } from '../progress.ts'
import { formatDifference, type Planned } from './planRegistration.ts'
import type { RegistrationCount } from './registerFeeds.ts'

/** The purpose of a pending registration. */
export interface RegistrationPurpose {
  kind: 'register'
  feed_id: string
}

/** The result of a feed's registration, as `register` prints it. */
export interface RegistrationReport {
  feed_id: string
  /**
   * `done`: nothing to do. `planned`: would be sent. `refused`: not sent, because it would fail. `pending`: sent, not
   * settled. `failed`: sent, but not registered. `not_sent`: `error` says why.
   */
  state: 'done' | 'planned' | 'refused' | 'executed' | 'failed' | 'pending' | 'not_sent'
  transaction_hash: string | null
  block_height: number | null
  /** In motes; null if nothing is sent. */
  payment_motes: string | null
  consumed_motes: string | null
  charged_motes: string | null
  /** What registering changes, changed or would change; empty for a new feed. */
  differences: readonly Difference[]
  error: ErrorFields | null
}

const nothing = {
  transaction_hash: null,
  block_height: null,
  payment_motes: null,
  consumed_motes: null,
  charged_motes: null,
  differences: [],
  error: null,
}

/** Reports a feed that was not sent, because the chain could not be read or the balance is too low. */
export const reportNotSent = (
  feed_id: string,
  error: WattfeedError,
  differences: Planned['differences'],
): RegistrationReport => ({
  ...nothing,
  feed_id,
  state: 'not_sent',
  differences: differences ?? [],
  error: errorFields(error),
})

/**
 * Reports a feed whose transaction is settled, or may still be executed.
 *
 * @throws an unexpected error of one that is not settled.
 */
export function reportSettlement(
  pending: Pending<RegistrationPurpose>,
  settlement: Settlement,
): RegistrationReport {
  const { executed, error } = settlement
  if (error !== null && !(error instanceof WattfeedError)) throw error
  return {
    ...reportPending(pending),
    ...(executed === null ? {} : executionFields(executed)),
    state: stateOf(settlement),
    error: error && errorFields(error),
  }
}

function stateOf(settlement: Settlement): RegistrationReport['state'] {
  if (!isSettled(settlement)) return 'pending'
  return settlement.outcome === 'executed' ? 'executed' : 'failed'
}

/** Reports a feed whose transaction an earlier run has sent. */
export const reportPending = (pending: Pending<RegistrationPurpose>): RegistrationReport => ({
  ...nothing,
  feed_id: pending.purpose.feed_id,
  state: 'pending',
  transaction_hash: pending.transaction_hash,
  payment_motes: pending.payment_motes,
})

const executionFields = ({ blockHeight, consumedMotes, chargedMotes }: ExecutedTransaction) => ({
  block_height: blockHeight,
  consumed_motes: consumedMotes.toString(),
  charged_motes: chargedMotes.toString(),
})

/** The result of `register`, as `--json` prints it. */
export interface RegistrationsReport {
  command: 'register'
  chain_name: string
  /** `account-hash-…` */
  account: string
  is_dry_run: boolean
  feeds: RegistrationReport[]
  /** The most that is paid, in motes. */
  payment_motes: string
  /** What was charged, in motes. */
  charged_motes: string
}

/** Formats the result of `register` for people. What changes is below each feed, a field a line. */
export function formatRegistrations(report: RegistrationsReport): string {
  const { chain_name, account, feeds } = report
  const lines = feeds.length === 0 ? [] : formatTable(feeds.map(rowOf)).split('\n')
  return [
    `register on ${chain_name} as ${account}`,
    ...lines.flatMap((line, index) => [line, ...(feeds[index]?.differences ?? []).map(changeLine)]),
    formatTotal(report),
  ].join('\n')
}

const changeLine = (difference: Difference): string => printable(`  ${formatDifference(difference)}`)

function rowOf(report: RegistrationReport): string[] {
  const { feed_id, state, transaction_hash, error } = report
  return [feed_id, state.replace('_', ' '), formatCost(report), error?.message ?? transaction_hash ?? '']
}

/** Reports the plan of a feed. */
export function reportPlan({ config: { feed_id }, plan, differences: found }: Planned): RegistrationReport {
  const differences = found ?? []
  if (plan === null) return { ...nothing, feed_id, state: 'done' }
  if (plan instanceof WattfeedError)
    return { ...nothing, feed_id, state: 'refused', differences, error: errorFields(plan) }
  const payment_motes = plan.paymentMotes.toString()
  return { ...nothing, feed_id, state: 'planned', payment_motes, differences }
}

/** Formats progress as one line. */
export const formatRegistrationProgress = (progress: Progress<RegistrationPurpose>): string =>
  formatProgress(printable(progress.pending.purpose.feed_id), progress)

/** Feeds between two lines of the count. */
const COUNT_EVERY = 10

/** Formats how far registering has got; null between two lines, and for few feeds, whose progress says enough. */
export function formatCount({ done, total, paymentMotes }: RegistrationCount): string | null {
  if (total < COUNT_EVERY) return null
  if (done === 0) return `${total} feeds to register, which pays ${formatCspr(paymentMotes)} at most`
  return done % COUNT_EVERY === 0 || done === total ? `${done} of ${total} feeds are through` : null
}
