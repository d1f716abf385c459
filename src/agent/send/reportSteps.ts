import type { SendStep } from '../../casper/transaction/durableSender.ts'
import type { Log } from '../../runtime/log.ts'
import type { AttestPurpose } from '../state/pendingAttestations.ts'
import { logSendStep, logStep, type OutboxStep, outboxStepOf } from './outboxStep.ts'

export interface StepReports {
  log?: Log
  /** Called with every step, and awaited. Must not throw. */
  observe?: (step: OutboxStep) => unknown
}

export async function reportStep({ log, observe }: StepReports, step: OutboxStep): Promise<void> {
  if (log !== undefined) logStep(log, step)
  await observe?.(step)
}

export async function reportSendStep(reports: StepReports, sendStep: SendStep<AttestPurpose>): Promise<void> {
  const step = outboxStepOf(sendStep)
  if (step !== null) await reportStep(reports, step)
  if (reports.log !== undefined) logSendStep(reports.log, sendStep)
}
