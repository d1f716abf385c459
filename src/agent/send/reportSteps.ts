import type { SendStep, Settled } from '../../casper/transaction/durableSender.ts'
import type { Log } from '../../runtime/log.ts'
import { systemReason } from '../../runtime/systemReason.ts'
import { logSendStep, logStep, namesOf, type OutboxStep, outboxStepOf } from './outboxStep.ts'
import { type AttestPurpose, type PendingAttestations, pendingFeedIds } from './pendingAttestations.ts'
import type { SentLog } from './sentLog.ts'
import type { SettledBlocks } from './settledBlocks.ts'

/** Where the steps of transactions are recorded. */
export interface StepReports {
  /** Stores the sent attestations, to distinguish them from those of other programs. @default not stored */
  sentLog?: SentLog | null
  log?: Log
  /** Called with every step, and awaited. Must not throw. */
  observe?: (step: OutboxStep) => unknown
  /** Stores the blocks of executed transactions. */
  settledBlocks: SettledBlocks
}

/** Logs a step and passes it on. */
export async function reportStep(
  { log, observe }: Pick<StepReports, 'log' | 'observe'>,
  step: OutboxStep,
): Promise<void> {
  if (log !== undefined) logStep(log, step)
  await observe?.(step)
}

/** Records, logs and passes on a step of a durable sender. */
export async function reportSendStep(reports: StepReports, sendStep: SendStep<AttestPurpose>): Promise<void> {
  const { log, sentLog } = reports
  await sentLog
    ?.note(sendStep)
    .catch((error) =>
      log?.warn(
        { reason: systemReason(error) },
        'cannot record a sent transaction; it may be reported as another writer',
      ),
    )
  const step = outboxStepOf(sendStep)
  if (step !== null) await reportStep(reports, step)
  if (log !== undefined) logSendStep(log, sendStep)
}

/** Records the block of an executed transaction, so that later plans read at that block or a later one. */
export async function recordBlock(
  reports: StepReports,
  settlement: Settled,
  pending: PendingAttestations,
): Promise<void> {
  if (settlement.outcome !== 'executed') return
  const { blockHeight: height } = settlement.executed
  await reports.settledBlocks.record(pendingFeedIds(pending), { height, before: pending.expires_at })
  await reportStep(reports, { step: 'recorded', ...namesOf(pending) })
}
