import pLimit from 'p-limit'
import { memberAt } from '../../bytes/memberAt.ts'
import { assertMaySign, getBalance } from './account.ts'
import { defaultTerms, type TransactionRequest, type TransactionTerms } from './createTransaction.ts'
import {
  type FollowOptions,
  type TransactionEvent,
  TransactionExpiredError,
  TransactionFailedError,
} from './followTransaction.ts'
import type { ExecutedTransaction } from './getTransaction.ts'
import { createInFlight, type InFlight, type InFlightOptions, type Outgoing } from './inFlight.ts'
import {
  createPending,
  type Pending,
  PendingFileError,
  type PendingStore,
  type Purpose,
  signedOf,
} from './pendingStore.ts'
import { TransactionRefusedError } from './putTransaction.ts'
import { type SendOptions, sendTransaction } from './sendTransaction.ts'
import type { Signer } from './signer.ts'
import { type SignedTransaction, signTransaction } from './signTransaction.ts'
import { clockOffMs, readTimestamp } from './timestamp.ts'

/** The outcome of a transaction. */
export type Settlement =
  | { readonly outcome: 'executed'; readonly executed: ExecutedTransaction; readonly error: null }
  /** Executed without success: the whole payment is lost. */
  | {
      readonly outcome: 'failed'
      readonly executed: ExecutedTransaction
      readonly error: TransactionFailedError
    }
  /** Never executed, and never will be: nothing was charged. */
  | { readonly outcome: 'expired'; readonly executed: null; readonly error: TransactionExpiredError }
  | { readonly outcome: 'refused'; readonly executed: null; readonly error: TransactionRefusedError }
  /** It may still be executed. The error is the cause, or the reason of the abort. */
  | { readonly outcome: 'unresolved'; readonly executed: null; readonly error: unknown }

/** The outcome of a settled transaction. */
export type Settled = Exclude<Settlement, { outcome: 'unresolved' }>

/** Whether a transaction is settled. Only then may its bytes be discarded or replaced. */
export const isSettled = (settlement: Settlement): settlement is Settled =>
  settlement.outcome !== 'unresolved'

/** Returns the execution of a transaction that succeeded. @throws the error of any other settlement. */
export function assertExecuted(settlement: Settlement): ExecutedTransaction {
  if (settlement.outcome === 'executed') return settlement.executed
  throw settlement.error
}

/** A transaction that was sent or resumed, and its outcome. */
export interface Delivery<P extends Purpose> {
  readonly settlement: Settlement
  readonly pending: Pending<P>
}

/** A step of a transaction, reported when it is done and before the next one starts. */
export type SendStep<P extends Purpose> =
  /** `signed`: in memory only. `written`: on disk, not sent. `resumed`: left pending by an earlier run or call. */
  | { readonly step: 'signed' | 'written' | 'resumed' | TransactionEvent; readonly pending: Pending<P> }
  | { readonly step: 'settled'; readonly pending: Pending<P>; readonly settlement: Settled }
  /** This machine's clock differs from the nodes'. Reported once. */
  | { readonly step: 'clock_off'; readonly pending: Pending<P>; readonly aheadMs: number }
  /** Its entry was removed from the store. */
  | { readonly step: 'removed'; readonly pending: Pending<P> }
  /** It is settled, but still stored. The next run settles it again, which is harmless. */
  | { readonly step: 'not_removed'; readonly pending: Pending<P>; readonly error: PendingFileError }

/** A transaction to send, and its purpose, which a later run needs to record the outcome. */
export interface SendRequest<P extends Purpose>
  extends Pick<TransactionRequest, 'target' | 'args' | 'paymentMotes'> {
  purpose: P
}

export interface DurableSend<P extends Purpose> {
  /** Locks: no other transaction of this sender may be in flight with one of these keys. @default none */
  keys?: readonly string[]
  /**
   * Checks and builds the transaction. `reserve` reserves a payment, and throws a `BalanceError` if the account cannot pay it
   * on top of everything else in flight.
   */
  prepare: (reserve: (paymentMotes: bigint) => Promise<void>) => SendRequest<P> | Promise<SendRequest<P>>
}

export interface DurableSenderOptions<P extends Purpose>
  extends Omit<FollowOptions, 'onEvent'>,
    Pick<InFlightOptions<P>, 'exclusive'>,
    Partial<TransactionTerms> {
  signer: Signer
  chainName: string
  store: PendingStore<P>
  /** Maximum number of transactions in flight; further ones wait. @default 1 */
  concurrency?: number
  /** Called with every step, and awaited. */
  onStep?: (step: SendStep<P>) => unknown
  /**
   * Records the outcome of a settled transaction, and is awaited before it is removed from the store. If this throws, the
   * transaction stays pending, and the next run settles it again: recording an outcome twice must be harmless.
   */
  beforeRemove?: (settlement: Settled, pending: Pending<P>) => unknown
}

/** Whether a refusal of a transaction is final. */
type Sending = Pick<SendOptions, 'isSentBefore' | 'isShared'>

/** Options of {@link createDeliverer}, which signs nothing. */
export interface DelivererOptions<P extends Purpose>
  extends Omit<DurableSenderOptions<P>, 'signer' | 'chainName' | keyof TransactionTerms> {
  /** The account that pays, and its own key if that is known. */
  signer: Pick<Signer, 'accountHash' | 'initiator'> & { readonly publicKey: string | null }
}

/** Sends transactions, each executed at most once, even if nodes fail or this process is killed. */
export interface DurableSender<P extends Purpose> {
  /**
   * Delivers the pending transactions of earlier runs and calls: sends the same bytes again until they are executed or
   * expired. Skips transactions that another process is following. Returns one delivery each, in the store's order.
   *
   * @throws errors of the store, before anything is sent; errors of `beforeRemove`, after all were tried.
   */
  resume(): Promise<Delivery<P>[]>
  /**
   * Signs a transaction, and delivers it.
   *
   * @throws errors of the store, `prepare` and signing, before anything is sent; errors of `beforeRemove`.
   */
  send(send: DurableSend<P>): Promise<Delivery<P>>
  /**
   * Stores a signed transaction, sends it and waits until it is settled. Others may have sent it before.
   *
   * If it has approvals of other keys, a rejection is not its outcome, also in a later run's {@link resume}. A node checks only
   * the approvals that it receives, and the same transaction may arrive with more of them.
   *
   * @param sending whether others may have sent it, and may send it with other approvals; by default as above
   * @throws errors of the store and `exclusive`, before it is sent; errors of `beforeRemove`.
   */
  deliver(stored: Pending<P>, sending?: Sending): Promise<Delivery<P>>
  /** Returns all unsettled transactions. @throws the errors of the store. */
  listPending(): Promise<readonly Pending<P>[]>
}

/**
 * Creates the sender of every paid transaction. It first builds and signs, then stores, sends, follows, settles, records the
 * outcome and removes. Aborting the signal ends both with the signal's reason: nothing more is signed, and pending
 * transactions stay stored.
 *
 * Only one process may use a store at a time, unless `exclusive` locks the keys and every transaction has a key. Then another
 * process's next `resume` settles the transactions of a killed process.
 *
 * @example
 * ```ts
 * const sender = createDurableSender({ rpc, signer, chainName, store: createPendingStore(folder, purpose) })
 * await sender.resume()
 * const { settlement } = await sender.send({ prepare: () => request })
 * const { chargedMotes } = assertExecuted(settlement)
 * ```
 */
export function createDurableSender<P extends Purpose>(options: DurableSenderOptions<P>): DurableSender<P> {
  const { rpc, signer, signal } = options
  const { gasPriceTolerance } = { ...defaultTerms, ...options }
  const sign = createSigning(options)
  const { inFlight, limit, during, write, follow, ...deliverer } = createSending(options)
  return {
    ...deliverer,
    send: ({ keys = [], prepare }) =>
      limit(async () => {
        signal?.throwIfAborted()
        await assertMaySign(rpc, signer, signal)
        const outgoing = await inFlight.begin(keys)
        return during(outgoing, async () => {
          const request = await prepare((motes) =>
            inFlight.reserve(outgoing, motes * BigInt(gasPriceTolerance)),
          )
          const pending = await sign(request)
          await write(outgoing, pending)
          return follow(outgoing, pending, { isSentBefore: false })
        })
      }),
  }
}

/** Creates the second half of a {@link createDurableSender}: it delivers what others have signed, and has no key. */
export function createDeliverer<P extends Purpose>(
  options: DelivererOptions<P>,
): Pick<DurableSender<P>, 'deliver'> {
  const { deliver } = createSending(options)
  return { deliver }
}

function createSending<P extends Purpose>(options: DelivererOptions<P>) {
  const { rpc, signer, store, exclusive, concurrency = 1, onStep = () => {}, signal } = options
  const inFlight = createInFlight<P>({
    accountHash: signer.accountHash,
    getBalance: () => getBalance(rpc, signer.initiator, signal),
    store,
    exclusive,
  })
  const { write, follow } = createDelivery(options, inFlight)
  const limit = pLimit(concurrency)

  /** Does the work of a transaction, and always releases the transaction afterwards. */
  async function during<T>(outgoing: Outgoing<P>, work: () => Promise<T>): Promise<T> {
    try {
      signal?.throwIfAborted()
      return await work()
    } finally {
      inFlight.release(outgoing)
    }
  }

  async function followStored(
    outgoing: Outgoing<P>,
    pending: Pending<P>,
    sending: Sending = { isSentBefore: true },
  ): Promise<Delivery<P>> {
    if (!outgoing.isWritten) await write(outgoing, pending)
    return follow(outgoing, pending, sending)
  }

  return {
    inFlight,
    limit,
    during,
    write,
    follow,
    listPending: inFlight.listPending,
    async resume(): Promise<Delivery<P>[]> {
      await store.removeUnfinished?.()
      const left = await inFlight.resume()
      const resumeOne = ({ outgoing, pending }: (typeof left)[number]) =>
        during(outgoing, async () => {
          await onStep({ step: 'resumed', pending })
          return followStored(outgoing, pending)
        })
      const results = await Promise.allSettled(left.map((each) => limit(resumeOne, each)))
      return results.map((result) => {
        if (result.status === 'rejected') throw result.reason
        return result.value
      })
    },
    deliver: (stored: Pending<P>, sending?: Sending): Promise<Delivery<P>> =>
      limit(async () => {
        const outgoing = await inFlight.begin(exclusive?.keysOf(stored) ?? [], stored)
        return during(outgoing, () => followStored(outgoing, stored, sending))
      }),
  }
}

/** The first half: builds and signs. */
function createSigning<P extends Purpose>(options: DurableSenderOptions<P>) {
  const { rpc, signer, chainName, onStep = () => {}, signal } = options
  const { now = Date.now, transactionTtlMs, gasPriceTolerance } = { ...defaultTerms, ...options }
  let isClockReported = false

  async function reportClock(pending: Pending<P>): Promise<void> {
    const aheadMs = clockOffMs(rpc, now)
    if (aheadMs === null || isClockReported) return
    isClockReported = true
    await onStep({ step: 'clock_off', pending, aheadMs })
  }

  return async ({ purpose, ...request }: SendRequest<P>): Promise<Pending<P>> => {
    signal?.throwIfAborted()
    const timestamp = await readTimestamp(rpc, transactionTtlMs, now)
    const terms = { chainName, timestamp, transactionTtlMs, gasPriceTolerance }
    const signed = await signTransaction(signer, { ...request, ...terms })
    // The payment at the highest tolerated gas price.
    const payment_motes = `${request.paymentMotes * BigInt(gasPriceTolerance)}`
    const pending = createPending(signed, { chain_name: chainName, payment_motes, purpose })
    await onStep({ step: 'signed', pending })
    await reportClock(pending)
    return pending
  }
}

/** The second half: stores, sends and follows. */
function createDelivery<P extends Purpose>(options: DelivererOptions<P>, inFlight: InFlight<P>) {
  const { signer, store, onStep = () => {}, beforeRemove, signal } = options

  /** Stores a transaction. It is pending from now on, even if this process is killed. */
  async function write(outgoing: Outgoing<P>, pending: Pending<P>): Promise<void> {
    signal?.throwIfAborted()
    outgoing.pending = pending
    outgoing.isWritten = false
    try {
      await store.write(pending)
    } catch (error) {
      // It may be on disk despite the error, and the next run would send it. It stays pending unless it can be removed.
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

  async function follow(
    outgoing: Outgoing<P>,
    pending: Pending<P>,
    { isSentBefore = false, isShared = !isSignedOnlyBy(signer, pending) }: Sending,
  ): Promise<Delivery<P>> {
    const onEvent = (step: TransactionEvent) => onStep({ step, pending })
    const settlement = await settle(signedOf(pending), { ...options, isSentBefore, isShared, onEvent })
    if (!isSettled(settlement)) return { settlement, pending }
    await onStep({ step: 'settled', pending, settlement })
    await beforeRemove?.(settlement, pending)
    await remove(outgoing, pending)
    return { settlement, pending }
  }

  async function remove(outgoing: Outgoing<P>, pending: Pending<P>): Promise<void> {
    try {
      await inFlight.remove(outgoing, pending)
    } catch (error) {
      if (!(error instanceof PendingFileError)) throw error
      return void (await onStep({ step: 'not_removed', pending, error }))
    }
    await onStep({ step: 'removed', pending })
  }

  return { write, follow }
}

/** Whether a transaction has no approvals of other keys. */
function isSignedOnlyBy(
  { publicKey }: { publicKey: string | null },
  { transaction }: Pending<Purpose>,
): boolean {
  const approvals = memberAt(transaction, 'Version1', 'approvals')
  return Array.isArray(approvals) && approvals.every((each) => memberAt(each, 'signer') === publicKey)
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
