import type { FeedOutcome } from '../../agent/feedOutcome.ts'
import type { SettledStep } from '../../agent/outbox/outboxStep.ts'
import { type ErrorFields, errorFields } from '../../runtime/errorFields.ts'

/** A transaction that an earlier run or the agent left pending, and what became of it now. */
export interface SettledBefore {
  transaction_hash: string
  feed_ids: readonly string[]
  outcome: 'executed' | 'failed' | 'expired' | 'refused'
  /** In motes; null where it was never executed. */
  charged_motes: string | null
}

/** What `attest` has done, or would do: what `--json` prints. Its middle is a line of the agent's `--json`. */
export interface AttestReport {
  command: 'attest'
  chain_name: string
  is_dry_run: boolean
  feed_id: string
  decision: FeedOutcome['decision']
  period: number | null
  amount: string | null
  value: string | null
  unit: string | null
  source_hash: string | null
  transaction_hash: string | null
  error: ErrorFields | null
  /** Null where the transaction was not executed. */
  block_height: number | null
  /** In motes. */
  consumed_motes: string | null
  charged_motes: string | null
  settled_before: SettledBefore[]
}

/** Puts together what became of a feed, and of the transactions that were settled on the way. */
export function reportAttest(
  chainName: string,
  isDryRun: boolean,
  outcome: FeedOutcome,
  settlements: readonly SettledStep[],
): AttestReport {
  const { feedId, decision, period, amount, value, unit, sourceHash, transactionHash, error } = outcome
  const isOwn = ({ settled }: SettledStep): boolean => settled.transactionHash === transactionHash
  const own = settlements.find(isOwn)
  const executed = own?.executed
  return {
    command: 'attest',
    chain_name: chainName,
    is_dry_run: isDryRun,
    feed_id: feedId,
    decision,
    period,
    amount: amount?.toString() ?? null,
    value,
    unit,
    source_hash: sourceHash,
    transaction_hash: transactionHash,
    error: error && errorFields(error),
    block_height: executed?.blockHeight ?? null,
    consumed_motes: executed?.consumedMotes.toString() ?? null,
    charged_motes: executed?.chargedMotes.toString() ?? null,
    settled_before: settlements.filter((each) => !isOwn(each)).map(settledBefore),
  }
}

const settledBefore = ({ settled }: SettledStep): SettledBefore => ({
  transaction_hash: settled.transactionHash,
  feed_ids: settled.feedIds,
  outcome: settled.outcome,
  charged_motes: settled.chargedMotes?.toString() ?? null,
})
