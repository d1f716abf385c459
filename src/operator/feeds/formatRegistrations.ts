import { transactionWords } from '../../casper/transaction/transactionWords.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { printable } from '../../runtime/printable.ts'
import { formatCspr } from '../cspr.ts'
import type { RegistrationEvent } from './registration.ts'
import type { RegistrationReport } from './registrationReport.ts'

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
  const { chain_name, account, is_dry_run, feeds, payment_motes, charged_motes } = report
  const total = is_dry_run
    ? `would pay ${formatCspr(BigInt(payment_motes))} at most; nothing was sent`
    : `paid ${formatCspr(BigInt(charged_motes))}`
  return [`register on ${chain_name} as ${account}`, formatTable(feeds.map(rowOf)), total].join('\n')
}

function rowOf(report: RegistrationReport): string[] {
  const { feed_id, state, payment_motes, charged_motes, transaction_hash, error } = report
  const cost =
    charged_motes !== null
      ? `cost ${formatCspr(BigInt(charged_motes))}`
      : payment_motes !== null
        ? `pays ${formatCspr(BigInt(payment_motes))}`
        : ''
  return [feed_id, state.replace('_', ' '), cost, error?.message ?? transaction_hash ?? '']
}

/** One line of what happens, for people who wait. */
export function formatRegistrationEvent(progress: RegistrationEvent): string {
  const { event } = progress
  const feedId = printable(progress.feedId)
  if (event === 'executed') {
    const { blockHeight, chargedMotes } = progress.executed
    return `${feedId}: executed in block ${blockHeight}, cost ${formatCspr(chargedMotes)}`
  }
  if (event === 'signed') return `${feedId}: sending ${progress.transactionHash}`
  return `${feedId}: ${transactionWords[event]}`
}
