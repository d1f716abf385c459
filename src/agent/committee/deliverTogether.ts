import { createDeliverer, type DelivererOptions } from '../../casper/transaction/durableSender.ts'
import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import type { AttestPurpose, PendingAttestations } from '../send/pendingAttestations.ts'
import { recordBlock, reportSendStep, type StepReports } from '../send/reportSteps.ts'

/** Sends the transactions that have enough approvals, and follows them. */
export interface Deliveries {
  /** Never throws. */
  deliver(transaction: PendingAttestations): void
  /** Waits until none is followed any more. */
  drain(): Promise<void>
}

export interface DeliveriesOptions
  extends StepReports,
    Pick<DelivererOptions<AttestPurpose>, 'rpc' | 'signer' | 'pollMs' | 'wait' | 'now' | 'signal'> {
  /** Called with a transaction that is executed, with or without success. */
  onExecuted: (transaction: PendingAttestations, executed: ExecutedTransaction) => void
}

/** The most transactions that are followed at once. */
const MAX_IN_FLIGHT = 64

/**
 * Creates the deliveries of a member. They are not stored: the member's approvals are, and it completes their transactions
 * after a restart. Other members send the same transactions.
 */
export function createDeliveries({ onExecuted, ...options }: DeliveriesOptions): Deliveries {
  const underWay = new Set<Promise<void>>()
  const { deliver } = createDeliverer<AttestPurpose>({
    ...options,
    store: { list: async () => [], write: async () => {}, remove: async () => {} },
    concurrency: MAX_IN_FLIGHT,
    onStep: (step) => reportSendStep(options, step),
    beforeRemove: (settlement, pending) => recordBlock(options, settlement, pending),
  })

  async function follow(transaction: PendingAttestations): Promise<void> {
    try {
      const { settlement } = await deliver(transaction, { isSentBefore: true, isShared: true })
      if (settlement.executed !== null) onExecuted(transaction, settlement.executed)
      else if (settlement.outcome === 'unresolved' && !options.signal?.aborted) throw settlement.error
    } catch (error) {
      const { transaction_hash } = transaction
      options.log?.warn({ transaction_hash, err: error }, "cannot follow a committee's transaction")
    }
  }

  return {
    deliver(transaction) {
      const followed = follow(transaction).finally(() => underWay.delete(followed))
      underWay.add(followed)
    },
    async drain() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
