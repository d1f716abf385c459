import type { Log } from '../../runtime/log.ts'
import type { DroppedAttestation } from './dropSuperseded.ts'
import type { OutboxStep } from './outboxStep.ts'
import type { Settlement } from './settledTransaction.ts'

/** Logs what an operator wants to know of a step. */
export function logStep(log: Log, step: OutboxStep): void {
  if (step.step === 'settled') logSettlement(log, step)
  else if (step.step === 'checked') logDropped(log, step.dropped)
  else if (step.step === 'read_back') logReadBack(log, step)
  else if (step.step === 'resumed') log.info(namesOf(step), 'pending from before: following it')
  else if (step.step === 'sent_again') log.info(namesOf(step), 'sent the same transaction again')
  else if (step.step === 'unreachable')
    log.warn(namesOf(step), 'no node tells what became of the transaction')
}

const namesOf = ({ transactionHash, feedIds }: { transactionHash: string; feedIds: readonly string[] }) => ({
  transaction_hash: transactionHash,
  feed_ids: feedIds,
})

function logDropped(log: Log, dropped: readonly DroppedAttestation[]): void {
  for (const { feedId: feed_id, outcome, latest } of dropped)
    log.info({ feed_id, outcome, period: latest.period }, 'not sent: the chain holds it, or a newer value')
}

function logSettlement(log: Log, { settled, executed }: Settlement): void {
  const { outcome, chargedMotes, errorMessage: error } = settled
  const fields = { ...namesOf(settled), outcome, charged_motes: chargedMotes?.toString() ?? null }
  if (executed === null) {
    log.warn({ ...fields, error }, 'the transaction came to nothing')
    return
  }
  const { blockHash: block_hash, blockHeight: block_height, consumedMotes } = executed
  log.info({ ...fields, consumed_motes: consumedMotes.toString(), block_hash, block_height }, 'attested')
}

function logReadBack(log: Log, step: Extract<OutboxStep, { step: 'read_back' }>): void {
  const { readBack, trouble } = step
  const other = readBack?.filter(({ isAsAttested }) => !isAsAttested).map(({ feedId }) => feedId) ?? []
  if (readBack === null)
    log.warn({ ...namesOf(step), trouble }, 'executed, and no node showed the values in time')
  else if (other.length > 0)
    log.warn({ ...namesOf(step), other }, 'executed, and its block ends with other values')
}
