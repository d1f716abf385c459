import type { SettledStep } from './deploymentFile.ts'
import { describeStep, type Step } from './step.ts'

/** What became of a step, as the commands print it. */
export interface StepReport {
  step: string
  /** `done`: there was nothing to do. `pending`: sent by an earlier run. `planned`: would be sent. */
  state: 'done' | 'pending' | 'planned' | 'executed'
  transaction_hash: string | null
  block_height: number | null
  /** In motes; null where nothing is sent. */
  payment_motes: string | null
  consumed_motes: string | null
  charged_motes: string | null
}

const nothing = {
  transaction_hash: null,
  block_height: null,
  payment_motes: null,
  consumed_motes: null,
  charged_motes: null,
}

/** A step that was done before. */
export const reportDone = (step: Step): StepReport => ({
  step: describeStep(step),
  state: 'done',
  ...nothing,
})

/** A step that would be sent. */
export const reportPlanned = (step: Step, paymentMotes: bigint): StepReport => ({
  ...nothing,
  step: describeStep(step),
  state: 'planned',
  payment_motes: paymentMotes.toString(),
})

/** A step whose transaction an earlier run has signed. */
export const reportPending = (step: Step, transactionHash: string): StepReport => ({
  ...nothing,
  step: describeStep(step),
  state: 'pending',
  transaction_hash: transactionHash,
})

/** A step that was executed. */
export const reportExecuted = ({ step, error: _, ...settled }: SettledStep): StepReport => ({
  step: describeStep(step),
  state: 'executed',
  ...settled,
})
