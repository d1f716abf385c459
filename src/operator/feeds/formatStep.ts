import type { OutboxStep } from '../../agent/outbox/outboxStep.ts'
import { transactionWords } from '../../casper/transaction/transactionWords.ts'
import { printable } from '../../runtime/printable.ts'
import { formatCspr } from '../cspr.ts'

/** A line of what happens to an attestation, for people who wait; null where there is nothing to tell. */
export function formatStep(step: OutboxStep): string | null {
  const words = wordsOf(step)
  if (words === null) return null
  const feedIds = step.step === 'settled' ? step.settled.feedIds : step.feedIds
  return `${printable(feedIds.join(', '))}: ${words}`
}

function wordsOf(step: OutboxStep): string | null {
  switch (step.step) {
    case 'resumed':
      return `following ${step.transactionHash}, which is pending from before`
    case 'written':
      return `sending ${step.transactionHash}`
    case 'accepted':
    case 'pending':
    case 'sent_again':
    case 'unreachable':
      return transactionWords[step.step]
    case 'settled': {
      const { outcome, chargedMotes } = step.settled
      return chargedMotes === null ? outcome : `${outcome}, cost ${formatCspr(chargedMotes)}`
    }
    default:
      return null
  }
}
