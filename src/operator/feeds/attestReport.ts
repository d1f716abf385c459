import type { SettledStep } from '../../agent/events.ts'
import {
  type FeedOutcome,
  formatProgress,
  type OutcomeFields,
  outcomeFields,
  transactionOf,
} from '../../agent/feedOutcome.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { printable } from '../../runtime/printable.ts'
import { formatCspr } from '../amounts.ts'

/** The outcome of a transaction that an earlier run or the agent left pending. */
export interface SettledBefore {
  transaction_hash: string
  feed_ids: readonly string[]
  outcome: 'executed' | 'failed' | 'expired' | 'refused'
  /** In motes; null if it was never executed. */
  charged_motes: string | null
}

export interface AttestReport extends OutcomeFields {
  command: 'attest'
  chain_name: string
  is_dry_run: boolean
  /** Block height of the last transaction; null if none was executed. */
  block_height: number | null
  /** In motes, of all transactions of the feed. */
  consumed_motes: string | null
  charged_motes: string | null
  settled_before: SettledBefore[]
}

export function reportAttest(
  chainName: string,
  isDryRun: boolean,
  outcome: FeedOutcome,
  settlements: readonly SettledStep[],
): AttestReport {
  const hashes = [transactionOf(outcome), ...outcome.transactionHashes]
  const isOwn = ({ settled }: SettledStep): boolean => hashes.includes(settled.transactionHash)
  const executed = settlements.filter(isOwn).flatMap((each) => each.executed ?? [])
  const sum = (motes: readonly bigint[]) =>
    motes.length === 0 ? null : `${motes.reduce((all, each) => all + each, 0n)}`
  return {
    command: 'attest',
    chain_name: chainName,
    is_dry_run: isDryRun,
    ...outcomeFields(outcome),
    block_height: executed.at(-1)?.blockHeight ?? null,
    consumed_motes: sum(executed.map(({ consumedMotes }) => consumedMotes)),
    charged_motes: sum(executed.map(({ chargedMotes }) => chargedMotes)),
    settled_before: settlements.filter((each) => !isOwn(each)).map(settledBefore),
  }
}

const settledBefore = ({ settled }: SettledStep): SettledBefore => ({
  transaction_hash: settled.transactionHash,
  feed_ids: settled.feedIds,
  outcome: settled.outcome,
  charged_motes: settled.chargedMotes?.toString() ?? null,
})

export function formatAttest(report: AttestReport): string {
  const { feed_id, decision, error, is_dry_run, charged_motes, settled_before } = report
  const paid = charged_motes === null ? 'nothing was paid' : `paid ${formatCspr(BigInt(charged_motes))}`
  return [
    ...settled_before.map(formatSettled),
    printable(`${feed_id}: ${decision ?? error?.message ?? ''}`),
    formatTable(rowsOf(report)),
    ...formatProgress(report).map(printable),
    is_dry_run ? 'nothing was sent' : paid,
  ]
    .filter((line) => line !== '')
    .join('\n')
}

function rowsOf(report: AttestReport): string[][] {
  const { period, value, unit, amount, source_hash, transaction_hash, block_height } = report
  const rows: [string, string | number | null][] = [
    ['period', period],
    ['value', value === null ? null : [value, unit].join(' ').trimEnd()],
    ['amount', amount],
    ['source hash', source_hash],
    ['transaction', transaction_hash],
    ['block', block_height],
  ]
  return rows.flatMap(([name, fact]) => (fact === null ? [] : [[`  ${name}`, String(fact)]]))
}

const formatSettled = ({ transaction_hash, feed_ids, outcome }: SettledBefore): string =>
  printable(`pending from an earlier run: ${transaction_hash} (${feed_ids.join(', ')}) ${outcome}`)
