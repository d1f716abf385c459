import pLimit from 'p-limit'
import { assertMaySign, getBalance } from './account.ts'
import { defaultTerms, type TransactionRequest, type TransactionTerms } from './createTransaction.ts'
import type { FollowOptions, TransactionEvent } from './followTransaction.ts'
import { getChainTime, TransactionExpiredError, TransactionFailedError } from './followTransaction.ts'
import type { ExecutedTransaction } from './getTransaction.ts'
import { createInFlight, type InFlightOptions, type Outgoing } from './inFlight.ts'
import { isFarOff, isTooFarOff, type NodeClock, stampOf } from './nodeClock.ts'
import { createPending, type Pending, PendingFileError, type PendingStore, signedOf } from './pendingStore.ts'
import { isRefusedForTime, TransactionRefusedError } from './putTransaction.ts'
import { type SendOptions, sendTransaction } from './sendTransaction.ts'
import type { Signer } from './signer.ts'
import { type SignedTransaction, signTransaction } from './signTransaction.ts'

/** The outcome of a transaction. */
export type Settlement =
  | { readonly outcome: 'executed'; readonly executed: ExecutedTransaction; readonly error: null }
  /** Executed unsuccessfully: the whole payment is lost. */
  | {
      readonly outcome: 'failed'
      readonly executed: ExecutedTransaction
      readonly error: TransactionFailedError
    }
  /** Never executed, and never will be: nothing was charged. */
  | { readonly outcome: 'expired'; readonly executed: null; readonly error: TransactionExpiredError }
  | { readonly outcome: 'refused'; readonly executed: null; readonly error: TransactionRefusedError }
  /** It may still be executed. The error says why that is unknown, or is the reason of the abort. */
  | { readonly outcome: 'unresolved'; readonly executed: null; readonly error: unknown }

/** The outcome of a transaction that is over. */
export type Settled = Exclude<Settlement, { outcome: 'unresolved' }>

/** Whether a transaction is over: only then may its bytes be discarded, or others be sent in their place. */
export const isSettled = (settlement: Settlement): settlement is Settled =>
  settlement.outcome !== 'unresolved'

/** Returns the execution of a transaction that succeeded. @throws the error of any other settlement. */
export function assertExecuted(settlement: Settlement): ExecutedTransaction {
  if (settlement.outcome === 'executed') return settlement.executed
  throw settlement.error
}

/** A step of a transaction, reported when it is done and before the next one begins. */
export type SendStep<P extends object> =
  /** `signed`: in memory only. `written`: on disk, not sent. `resumed`: left pending by an earlier run or call. */
  | { readonly step: 'signed' | 'written' | 'resumed' | TransactionEvent; readonly pending: Pending<P> }
  | { readonly step: 'settled'; readonly pending: Pending<P>; readonly settlement: Settled }
  /** This machine's clock differs from the chain's by so much: it is told once, and with each refusal because of it. */
  | { readonly step: 'clock_off'; readonly pending: Pending<P>; readonly aheadMs: number }
  /** Its entry in the store is gone. */
  | { readonly step: 'removed'; readonly pending: Pending<P> }
  /** It is over, but still stored: the next run settles it again, which does no harm. */
  | { readonly step: 'not_removed'; readonly pending: Pending<P>; readonly error: PendingFileError }

/** A transaction to send, and its purpose: what a later run needs to record its outcome. */
export interface SendRequest<P extends object>
  extends Pick<TransactionRequest, 'target' | 'args' | 'paymentMotes'> {
  purpose: P
}

/**
 * Records the outcome of a transaction for the caller. A settled transaction is removed from the store once this has
 * returned; if this throws, it stays pending.
 */
export type RecordOutcome<P extends object, T> = (
  settlement: Settlement,
  pending: Pending<P>,
) => T | Promise<T>

export interface DurableSend<P extends object, T> {
  /** Locks: no other transaction of this sender may be in flight with one of these keys. @default none */
  keys?: readonly string[]
  /**
   * Checks and builds what is sent. `reserve` sets a payment aside, and throws a `BalanceError` if the account cannot
   * pay it on top of everything else in flight.
   */
  prepare: (reserve: (paymentMotes: bigint) => Promise<void>) => SendRequest<P> | Promise<SendRequest<P>>
  recordOutcome: RecordOutcome<P, T>
}

/** How a program's transactions are signed. */
export interface SendTerms extends Partial<TransactionTerms> {
  /** @default none: transactions are stamped a little before this machine's clock */
  clock?: Pick<NodeClock, 'aheadMs'>
}

export interface DurableSenderOptions<P extends object>
  extends Omit<FollowOptions, 'onEvent'>,
    Pick<InFlightOptions<P>, 'exclusive'>,
    SendTerms {
  signer: Signer
  chainName: string
  store: PendingStore<P>
  /** The most transactions in flight at once; further ones wait. @default 1 */
  concurrency?: number
  /** Called with every step, and awaited. */
  onStep?: (step: SendStep<P>) => unknown
}

/** Sends transactions, each executed at most once, whatever happens to the nodes and to this process. */
export interface DurableSender<P extends object> {
  /**
   * Settles what an earlier run or call left pending: the same bytes are sent again until they are executed or expired.
   * What another process is following is left to it. Returns one result each, in the store's order.
   *
   * @throws what the store throws, before anything is sent; what `recordOutcome` throws, once all were tried.
   */
  resume<T>(recordOutcome: RecordOutcome<P, T>): Promise<T[]>
  /**
   * Signs a transaction, stores it, sends it and waits until it is settled.
   *
   * @throws what the store, `prepare` and signing throw, before anything is sent; what `recordOutcome` throws.
   */
  send<T>(send: DurableSend<P, T>): Promise<T>
  /** Returns everything that is not settled. @throws what the store throws. */
  listPending(): Promise<readonly Pending<P>[]>
}

/**
 * Creates the sender of every paid transaction: sign, store, send, follow, settle, record the outcome, remove. Aborting
 * the signal ends it with the signal's reason: nothing more is signed, and what is pending stays stored.
 *
 * Only one process may use a store at a time, unless `exclusive` locks the keys and every transaction has one: then what
 * a process left when it died is settled by another one's next `resume`.
 *
 * @example
 * ```ts
 * const sender = createDurableSender({ rpc, signer, chainName, store: createPendingFile(path, { … }) })
 * await sender.resume((settlement) => settlement)
 * const settlement = await sender.send({ prepare: () => request, recordOutcome: (settlement) => settlement })
 * const { chargedMotes } = assertExecuted(settlement)
 * ```
 */
export function createDurableSender<P extends object>(options: DurableSenderOptions<P>): DurableSender<P> {
  const { rpc, signer, chainName, store, clock, concurrency = 1, onStep = () => {}, signal } = options
  const { now = Date.now, transactionTtlMs, gasPriceTolerance } = { ...defaultTerms, ...options }
  const inFlight = createInFlight<P>({
    accountHash: signer.accountHash,
    getBalance: () => getBalance(rpc, signer.initiator, signal),
    store,
    exclusive: options.exclusive,
  })
  const limit = pLimit(concurrency)
  let isClockTold = false

  /** The most that a payment comes to: at the highest gas price that is tolerated. */
  const atMost = (paymentMotes: bigint): bigint => paymentMotes * BigInt(gasPriceTolerance)

  async function sign({ purpose, ...request }: SendRequest<P>, stamp?: number): Promise<Pending<P>> {
    signal?.throwIfAborted()
    const aheadMs = clock?.aheadMs() ?? null
    const timestamp = stamp ?? (await readStamp(aheadMs))
    const terms = { chainName, timestamp, transactionTtlMs, gasPriceTolerance }
    const signed = await signTransaction(signer, { ...request, ...terms })
    const pending = createPending(signed, atMost(request.paymentMotes), purpose)
    await onStep({ step: 'signed', pending })
    if (aheadMs === null || isClockTold || !isFarOff(aheadMs)) return pending
    isClockTold = true
    await onStep({ step: 'clock_off', pending, aheadMs })
    return pending
  }

  /**
   * Returns the timestamp of a transaction that is signed now. Where the clocks differ too much, it is the newest block's
   * time: a transaction from the future stays pending until the chain reaches that time, if a node does not refuse it.
   */
  async function readStamp(aheadMs: number | null): Promise<number> {
    const isOff = aheadMs !== null && isTooFarOff(aheadMs, transactionTtlMs)
    const chain = isOff ? await getChainTime(rpc, signal).catch(() => null) : null
    return chain?.timestamp ?? stampOf(now(), aheadMs, transactionTtlMs)
  }

  /**
   * Signs anew, with the newest block's time, what every node has refused for its time; null if that cannot be done.
   * The refused one is removed before: never are two pending that do the same.
   */
  async function restamp(
    outgoing: Outgoing<P>,
    refused: Pending<P>,
    request: SendRequest<P>,
  ): Promise<Pending<P> | null> {
    const chain = await getChainTime(rpc, signal).catch(() => null)
    if (chain === null) return null
    const aheadMs = now() - chain.timestamp
    // Seconds are the age of the newest block, not a wrong clock.
    if (isFarOff(aheadMs)) await onStep({ step: 'clock_off', pending: refused, aheadMs })
    if (!(await remove(outgoing, refused))) return null
    const pending = await sign(request, chain.timestamp)
    await writePending(outgoing, pending)
    return pending
  }

  /** From here on the transaction is pending, whatever happens to this process. */
  async function writePending(outgoing: Outgoing<P>, pending: Pending<P>): Promise<void> {
    signal?.throwIfAborted()
    outgoing.pending = pending
    outgoing.isWritten = false
    try {
      await store.write(pending)
    } catch (error) {
      // It may be on disk all the same, and the next run would send it: it is pending unless it can be removed.
      await store.remove(pending).then(
        () => {
          outgoing.pending = null
        },
        () => {},
      )
      throw error
    }
    outgoing.isWritten = true
    await onStep({ step: 'written', pending })
  }

  /** @param request what is signed anew if it is refused for its time; null if it was sent before */
  async function deliver<T>(
    outgoing: Outgoing<P>,
    pending: Pending<P>,
    { request, isSentBefore }: { request: SendRequest<P> | null; isSentBefore: boolean },
    recordOutcome: RecordOutcome<P, T>,
  ): Promise<T> {
    const onEvent = (step: TransactionEvent) => onStep({ step, pending })
    const settlement = await settle(signedOf(pending), { ...options, isSentBefore, onEvent })
    if (request !== null && settlement.outcome === 'refused' && isRefusedForTime(settlement.error)) {
      const anew = await restamp(outgoing, pending, request)
      if (anew !== null) return deliver(outgoing, anew, { request: null, isSentBefore }, recordOutcome)
    }
    if (!isSettled(settlement)) return recordOutcome(settlement, pending)
    await onStep({ step: 'settled', pending, settlement })
    const recorded = await recordOutcome(settlement, pending)
    await remove(outgoing, pending)
    return recorded
  }

  /** Returns whether it is gone. */
  async function remove(outgoing: Outgoing<P>, pending: Pending<P>): Promise<boolean> {
    try {
      await inFlight.remove(outgoing, pending)
    } catch (error) {
      if (!(error instanceof PendingFileError)) throw error
      await onStep({ step: 'not_removed', pending, error })
      return false
    }
    await onStep({ step: 'removed', pending })
    return true
  }

  async function resumeOne<T>(
    { outgoing, pending }: { outgoing: Outgoing<P>; pending: Pending<P> },
    recordOutcome: RecordOutcome<P, T>,
  ): Promise<T> {
    try {
      signal?.throwIfAborted()
      await onStep({ step: 'resumed', pending })
      if (!outgoing.isWritten) await writePending(outgoing, pending)
      return await deliver(outgoing, pending, { request: null, isSentBefore: true }, recordOutcome)
    } finally {
      inFlight.release(outgoing)
    }
  }

  return {
    listPending: inFlight.listPending,
    async resume(recordOutcome) {
      await store.removeUnfinished?.()
      const left = await inFlight.resume()
      const results = await Promise.allSettled(
        left.map((each) => limit(() => resumeOne(each, recordOutcome))),
      )
      return results.map((result) => {
        if (result.status === 'rejected') throw result.reason
        return result.value
      })
    },
    send: ({ keys = [], prepare, recordOutcome }) =>
      limit(async () => {
        signal?.throwIfAborted()
        await assertMaySign(rpc, signer, signal)
        const outgoing = await inFlight.begin(keys)
        try {
          const request = await prepare((motes) => inFlight.reserve(outgoing, atMost(motes)))
          const pending = await sign(request)
          await writePending(outgoing, pending)
          return await deliver(outgoing, pending, { request, isSentBefore: false }, recordOutcome)
        } finally {
          inFlight.release(outgoing)
        }
      }),
  }
}

/** Sends signed bytes, for the first time or again, and follows them until they are settled. */
async function settle(signed: SignedTransaction, options: SendOptions): Promise<Settlement> {
  try {
    return { outcome: 'executed', executed: await sendTransaction(signed, options), error: null }
  } catch (error) {
    if (error instanceof TransactionFailedError) return { outcome: 'failed', executed: error.executed, error }
    if (error instanceof TransactionExpiredError) return { outcome: 'expired', executed: null, error }
    if (error instanceof TransactionRefusedError) return { outcome: 'refused', executed: null, error }
    const { signal } = options
    return { outcome: 'unresolved', executed: null, error: signal?.aborted ? signal.reason : error }
  }
}
