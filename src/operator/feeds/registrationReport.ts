import { isSettled, type Settlement } from '../../casper/transaction/durableSender.ts'
import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import type { Pending } from '../../casper/transaction/pendingStore.ts'
import { WattfeedError } from '../../errors.ts'
import { type ErrorFields, errorFields } from '../../runtime/errorFields.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { printable } from '../../runtime/printable.ts'
import { formatCost, formatTotal } from '../amounts.ts'
import { formatProgress, type Progress } from '../progress.ts'
import type { Planned } from './planRegistration.ts'

/** What a pending registration is for. */
export interface RegistrationPurpose {
  feed_id: string
  /** 64 hex digits: where it is registered. */
  feed_registry_package_hash: string
}

/** What became of a feed's registration, as `register` prints it. */
export interface RegistrationReport {
  feed_id: string
  /**
   * `done`: there was nothing to do. `planned`: would be sent. `refused`: nothing was sent, for it would have failed.
   * `pending`: sent, and its end is not known. `failed`: sent, and nothing was registered. `not_sent`: given up,
   * because one before it did not succeed.
   */
  state: 'done' | 'planned' | 'refused' | 'executed' | 'failed' | 'pending' | 'not_sent'
  transaction_hash: string | null
  block_height: number | null
  /** In motes; null where nothing is sent. */
  payment_motes: string | null
  consumed_motes: string | null
  charged_motes: string | null
  error: ErrorFields | null
}

const nothing = {
  transaction_hash: null,
  block_height: null,
  payment_motes: null,
  consumed_motes: null,
  charged_motes: null,
  error: null,
}

/** A feed for which nothing was sent, because of another one or because the chain could not be read. */
export const reportNotSent = (feedId: string, error: WattfeedError | null): RegistrationReport => ({
  ...nothing,
  feed_id: feedId,
  state: 'not_sent',
  error: error && errorFields(error),
})

/**
 * A feed whose transaction came to an end, or may still be executed. Throws the error of one whose end is not known for
 * a reason that nobody expected.
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

/** A feed whose transaction an earlier run has sent. */
export const reportPending = (pending: Pending<RegistrationPurpose>): RegistrationReport => ({
  ...nothing,
  feed_id: pending.feed_id,
  state: 'pending',
  transaction_hash: pending.transaction_hash,
  payment_motes: pending.payment_motes,
})

const executionFields = ({ blockHeight, consumedMotes, chargedMotes }: ExecutedTransaction) => ({
  block_height: blockHeight,
  consumed_motes: consumedMotes.toString(),
  charged_motes: chargedMotes.toString(),
})

/** What `register` has done, or would do: what `--json` prints. */
export interface RegistrationsReport {
  command: 'register'
  chain_name: string
  /** `account-hash-…` */
  account: string
  is_dry_run: boolean
  feeds: RegistrationReport[]
  /** The most that is paid for what was or would be sent, in motes. */
  payment_motes: string
  /** What was paid in the end, in motes. */
  charged_motes: string
}

/** Registrations for people. */
export function formatRegistrations(report: RegistrationsReport): string {
  const { chain_name, account, feeds } = report
  return [`register on ${chain_name} as ${account}`, formatTable(feeds.map(rowOf)), formatTotal(report)].join(
    '\n',
  )
}

function rowOf(report: RegistrationReport): string[] {
  const { feed_id, state, transaction_hash, error } = report
  return [feed_id, state.replace('_', ' '), formatCost(report), error?.message ?? transaction_hash ?? '']
}

/** What a dry run says of a feed. */
export function reportPlan({ config: { feed_id }, plan }: Planned): RegistrationReport {
  if (plan === null) return { ...nothing, feed_id, state: 'done' }
  if (plan instanceof WattfeedError)
    return { ...nothing, feed_id, state: 'refused', error: errorFields(plan) }
  return { ...nothing, feed_id, state: 'planned', payment_motes: plan.paymentMotes.toString() }
}

/** One line of what happens, for people who wait. */
export const formatRegistrationProgress = (progress: Progress<RegistrationPurpose>): string =>
  formatProgress(printable(progress.pending.feed_id), progress)
