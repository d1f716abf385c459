import { pickOptions } from '@wattfeed/base'
import {
  type DeliverOptions,
  deliverSigned,
  type ExecutedTransaction,
  type FollowOptions,
  followOptionNames,
  isSettled,
  type Pending,
  type Settlement,
  signedOf,
} from '@wattfeed/casper/transaction'
import pLimit from 'p-limit'
import type { Log } from '../../runtime/log.ts'
import { eventOf, type Report } from '../events.ts'
import { recordOutcome } from '../state/attestationStore.ts'
import type { AgentState } from '../state/openState.ts'
import { addSentValues, pruneSentValues } from '../state/sentLog.ts'

/** The most transactions that are followed at once. */
const MAX_IN_FLIGHT = 64

export interface DeliveryParts extends Pick<DeliverOptions, 'rpc' | 'pollMs' | 'wait' | 'now' | 'signal'> {
  state: AgentState
  log: Pick<Log, 'warn'>
  /** Called with each step of a transaction, before the next one. */
  report: Report
  /** Called with a transaction that is executed, with or without success. */
  onExecuted: (transaction: Pending, executed: ExecutedTransaction) => void
}

/**
 * Sends the transactions that have enough approvals, and follows them. They are not stored: the member's approvals are, and it
 * completes their transactions after a restart. Other members send the same transactions.
 */
export class Deliveries {
  readonly #parts: DeliveryParts
  readonly #underWay = new Set<Promise<void>>()
  readonly #limit = pLimit(MAX_IN_FLIGHT)

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  /** Never throws. */
  deliver(transaction: Pending): void {
    const followed = this.#follow(transaction).finally(() => this.#underWay.delete(followed))
    this.#underWay.add(followed)
  }

  async drain(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  async #follow(transaction: Pending): Promise<void> {
    const { onExecuted, log, signal } = this.#parts
    try {
      const settlement = await this.#limit(() => this.#send(transaction))
      if (settlement.executed !== null) onExecuted(transaction, settlement.executed)
      else if (settlement.outcome === 'unresolved' && !signal?.aborted) throw settlement.error
    } catch (error) {
      const { transaction_hash } = transaction
      log.warn({ transaction_hash, err: error }, "cannot follow a committee's transaction")
    }
  }

  async #send(pending: Pending): Promise<Settlement> {
    const { state, report } = this.#parts
    this.#record(() => addSentValues(state, pending))
    await report(eventOf({ step: 'written', pending }))
    const settlement = await deliverSigned(signedOf(pending), {
      ...pickOptions<Omit<FollowOptions, 'onEvent'>>(this.#parts, followOptionNames),
      isSentBefore: true,
      isShared: true,
      onEvent: (step) => report(eventOf({ step, pending })),
    })
    if (!isSettled(settlement)) return settlement
    await report(eventOf({ step: 'settled', pending, settlement }))
    this.#record(() => {
      recordOutcome(state, pending, settlement)
      pruneSentValues(state)
    })
    await report(eventOf({ step: 'removed', pending }))
    return settlement
  }

  /** The chain and the member's approval decide, so that a full disk does not keep a transaction from being sent. */
  #record(work: () => void): void {
    const error = this.#parts.state.file.writeLater(work)
    if (error !== null)
      this.#parts.log.warn({ reason: error.message }, "cannot record a committee's transaction yet")
  }
}
