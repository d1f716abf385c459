import pLimit from 'p-limit'
import { type DeliverOptions, deliverSigned } from '../../casper/transaction/durableSender.ts'
import { isSettled, type Settlement } from '../../casper/transaction/followTransaction.ts'
import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import { signedOf } from '../../casper/transaction/transactionStore.ts'
import type { Log } from '../../runtime/log.ts'
import { eventOf, type Report } from '../events.ts'
import { type AttestPurpose, type PendingAttestations, recordOutcome } from '../state/attestationStore.ts'
import type { AgentState } from '../state/openState.ts'
import { addSentValues } from '../state/sentLog.ts'

export interface Deliveries {
  /** Never throws. */
  deliver(transaction: PendingAttestations): void
  drain(): Promise<void>
}

export interface DeliveriesOptions
  extends Pick<DeliverOptions<AttestPurpose>, 'rpc' | 'pollMs' | 'wait' | 'now' | 'signal'> {
  state: AgentState
  log: Pick<Log, 'warn'>
  /** Hears of each step of a transaction, before the next one. */
  report: Report
  /** Called with a transaction that is executed, with or without success. */
  onExecuted: (transaction: PendingAttestations, executed: ExecutedTransaction) => void
}

/**
 * Creates the deliveries of a member. Their transactions are not stored: the member's approvals are, and it completes their
 * transactions after a restart. Other members send the same transactions.
 */
export function createDeliveries({
  onExecuted,
  state,
  log,
  report,
  ...options
}: DeliveriesOptions): Deliveries {
  const underWay = new Set<Promise<void>>()
  const limit = pLimit(MAX_IN_FLIGHT)

  /** The chain and the member's approval decide, so that a full disk does not keep a transaction from being sent. */
  function record(work: () => void): void {
    const error = state.file.writeLater(work)
    if (error !== null) log.warn({ reason: error.message }, "cannot record a committee's transaction yet")
  }

  async function send(pending: PendingAttestations): Promise<Settlement> {
    record(() => addSentValues(state, pending))
    await report(eventOf({ step: 'written', pending }))
    const settlement = await deliverSigned(signedOf(pending), {
      ...options,
      isSentBefore: true,
      isShared: true,
      onEvent: (step) => report(eventOf({ step, pending })),
    })
    if (!isSettled(settlement)) return settlement
    await report(eventOf({ step: 'settled', pending, settlement }))
    record(() => recordOutcome(state, pending, settlement))
    await report(eventOf({ step: 'removed', pending }))
    return settlement
  }

  async function follow(transaction: PendingAttestations): Promise<void> {
    try {
      const settlement = await limit(send, transaction)
      if (settlement.executed !== null) onExecuted(transaction, settlement.executed)
      else if (settlement.outcome === 'unresolved' && !options.signal?.aborted) throw settlement.error
    } catch (error) {
      const { transaction_hash } = transaction
      log.warn({ transaction_hash, err: error }, "cannot follow a committee's transaction")
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

/** The most transactions that are followed at once. */
const MAX_IN_FLIGHT = 64
