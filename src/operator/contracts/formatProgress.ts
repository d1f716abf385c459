import { transactionWords } from '../../casper/transaction/transactionWords.ts'
import { formatCspr } from './cspr.ts'
import type { ProgressEvent } from './operation.ts'
import { describeStep } from './step.ts'

/** One line of what happens, for people who wait. */
export function formatProgress(progress: ProgressEvent): string {
  const step = describeStep(progress.step)
  if (progress.event === 'executed')
    return `${step}: executed in block ${progress.executed.blockHeight}, cost ${formatCspr(progress.executed.chargedMotes)}`
  if (progress.event === 'signed') return `${step}: sending ${progress.transactionHash}`
  return `${step}: ${transactionWords[progress.event]}`
}
