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

/** The purpose of a pending registration. */
export interface RegistrationPurpose {
  feed_id: string
  /** 64 hex digits. */
  feed_registry_package_hash: string
}

/** The result of a feed's registration, as `register` prints it. */
export interface RegistrationReport {
  feed_id: string
  /**
   * `done`: nothing to do. `planned`: would be sent. `refused`: not sent, because it would fail. `pending`: sent, not
   * settled. `failed`: sent, but not registered. `not_sent`: given up after an earlier failure.
   */
  state: 'done' | 'planned' | 'refused' | 'executed' | 'failed' | 'pending' | 'not_sent'
  transaction_hash: string | null
  block_height: number | null
  /** In motes; null if nothing is sent. */
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

/** Reports a feed that was not sent, because another one failed or the chain could not be read. */
export const reportNotSent = (feedId: string, error: WattfeedError | null): RegistrationReport => ({
  ...nothing,
  feed_id: feedId,
  state: 'not_sent',
  error: error && errorFields(error),
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

/** Formats the result of `register` for people. */
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

/** Reports the plan of a feed. */
export function reportPlan({ config: { feed_id }, plan }: Planned): RegistrationReport {
  if (plan === null) return { ...nothing, feed_id, state: 'done' }
  if (plan instanceof WattfeedError)
    return { ...nothing, feed_id, state: 'refused', error: errorFields(plan) }
  return { ...nothing, feed_id, state: 'planned', payment_motes: plan.paymentMotes.toString() }
}

/** Formats progress as one line. */
export const formatRegistrationProgress = (progress: Progress<RegistrationPurpose>): string =>
  formatProgress(printable(progress.pending.feed_id), progress)
