import type { SendStep } from '../../casper/transaction/durableSender.ts'
import type { TransactionEvent } from '../../casper/transaction/followTransaction.ts'
import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import type { Settled } from '../../casper/transaction/settlement.ts'
import { readablePeriod } from '../../eia/readablePeriod.ts'
import type { WattfeedError } from '../../errors.ts'
import type { Log } from '../../runtime/log.ts'
import { type AttestPurpose, type PendingAttestations, pendingFeedIds } from '../state/pendingAttestations.ts'
import type { DroppedAttestation } from './checkChain.ts'

interface OfTransaction {
  /** 64 hex digits. */
  readonly transactionHash: string
  readonly feedIds: readonly string[]
}

export interface SettledTransaction extends OfTransaction {
  /** `failed`: executed, the whole payment lost. `expired` and `refused`: never executed, nothing charged. */
  readonly outcome: Settled['outcome']
  /** The feed of each of its attestations; a feed may have several. */
  readonly attestedFeedIds: readonly string[]
  /** The charge; null if it was never executed. */
  readonly chargedMotes: bigint | null
  /** The node's message; null if it succeeded. */
  readonly errorMessage: string | null
}

/** The outcome of a transaction, with its execution and its error, if any. */
export interface SettledStep {
  readonly settled: SettledTransaction
  readonly executed: ExecutedTransaction | null
  readonly error: WattfeedError | null
}

/** A step of a transaction, reported when it is done and before the next one starts. */
export type OutboxStep =
  /** All checks passed; nothing is signed yet. */
  | {
      readonly step: 'checked'
      readonly feedIds: readonly string[]
      readonly dropped: readonly DroppedAttestation[]
    }
  /** The steps of a `DurableSender`, and the nodes' answers while it sends and follows. */
  | ({
      readonly step: 'signed' | 'written' | 'resumed' | TransactionEvent | 'removed'
      /** Epoch milliseconds. The transaction is never executed after this time. */
      readonly expiresAt: number
    } & OfTransaction)
  | ({ readonly step: 'settled' } & SettledStep)

const namesOf = (pending: PendingAttestations): OfTransaction => ({
  transactionHash: pending.transaction_hash,
  feedIds: pendingFeedIds(pending),
})

/** Converts a step of the sender; null if it is only for the log. */
export function outboxStepOf(step: SendStep<AttestPurpose>): OutboxStep | null {
  if (step.step === 'not_removed' || step.step === 'clock_off') return null
  if (step.step !== 'settled')
    return { step: step.step, ...namesOf(step.pending), expiresAt: step.pending.expires_at }
  const { executed, error } = step.settlement
  return { step: 'settled', settled: settledTransaction(step.pending, step.settlement), executed, error }
}

export const settledTransaction = (
  pending: PendingAttestations,
  settlement: Settled,
): SettledTransaction => ({
  ...namesOf(pending),
  attestedFeedIds: pending.purpose.attestations.map(({ feed_id }) => feed_id),
  outcome: settlement.outcome,
  chargedMotes: settlement.executed?.chargedMotes ?? null,
  errorMessage: errorMessageOf(settlement),
})

function errorMessageOf({ outcome, executed, error }: Settled): string | null {
  if (executed !== null) return executed.errorMessage
  return outcome === 'refused' ? error.nodeMessage : error.message
}

/** Logs a step if an operator should know about it. */
export function logStep(log: Log, step: OutboxStep): void {
  if (step.step === 'settled') logSettlement(log, step)
  else if (step.step === 'checked') logDropped(log, step.dropped)
  else if (step.step === 'resumed') log.info(nameFields(step), 'resuming a pending transaction')
  else if (step.step === 'sent_again') log.info(nameFields(step), 'transaction sent again')
  else if (step.step === 'unreachable')
    log.warn(
      { ...nameFields(step), until: new Date(step.expiresAt) },
      'transaction status unknown: no node reports it',
    )
}

/** Logs a step of the sender that {@link outboxStepOf} leaves out. */
export function logSendStep(log: Log, step: SendStep<AttestPurpose>): void {
  if (step.step === 'not_removed')
    log.warn(
      { transaction_hash: step.pending.transaction_hash, error: step.error.message },
      'cannot record the outcome of a transaction yet',
    )
  if (step.step === 'clock_off')
    log.warn(
      { ahead_s: Math.round(step.aheadMs / 1_000) },
      "clock skew: this machine's clock differs from the chain's",
    )
}

const nameFields = ({ transactionHash, feedIds }: OfTransaction) => ({
  transaction_hash: transactionHash,
  feed_ids: feedIds,
})

function logDropped(log: Log, dropped: readonly DroppedAttestation[]): void {
  for (const { feedId: feed_id, decision, latest } of dropped)
    log.info(
      { feed_id, decision, period: readablePeriod(latest.period) },
      'attestation dropped: the chain already has it or a newer one',
    )
}

function logSettlement(log: Log, { settled, executed, error: failure }: SettledStep): void {
  const { outcome, chargedMotes, errorMessage: error } = settled
  const fields = { ...nameFields(settled), outcome, charged_motes: chargedMotes?.toString() ?? null }
  if (executed === null || failure !== null) {
    log.warn({ ...fields, error }, 'transaction failed, expired or was rejected')
    return
  }
  const { blockHash: block_hash, blockHeight: block_height, consumedMotes } = executed
  log.info({ ...fields, consumed_motes: consumedMotes.toString(), block_hash, block_height }, 'attested')
}
