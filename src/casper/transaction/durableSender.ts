import pLimit from 'p-limit'
import { getBalance } from './account.ts'
import type { FollowOptions, TransactionEvent } from './followTransaction.ts'
import { TransactionExpiredError, TransactionFailedError } from './followTransaction.ts'
import type { ExecutedTransaction } from './getTransaction.ts'
import { createInFlight, type InFlightOptions, type Outgoing } from './inFlight.ts'
import { createPending, type Pending, PendingFileError, type PendingStore, signedOf } from './pendingStore.ts'
import { TransactionRefusedError } from './putTransaction.ts'
import { type SendOptions, sendTransaction } from './sendTransaction.ts'
import type { Signer } from './signer.ts'
import { type SignedTransaction, signTransaction, type TransactionRequest } from './signTransaction.ts'

/** What became of a transaction. */
export type Settlement =
  | { readonly outcome: 'executed'; readonly executed: ExecutedTransaction; readonly error: null }
  /** Executed, and all of its payment lost. */
  | {
      readonly outcome: 'failed'
      readonly executed: ExecutedTransaction
      readonly error: TransactionFailedError
    }
  /** Never executed, and never will be: nothing was charged. */
  | { readonly outcome: 'expired'; readonly executed: null; readonly error: TransactionExpiredError }
  | { readonly outcome: 'refused'; readonly executed: null; readonly error: TransactionRefusedError }
  /** It may still be executed. The error says why that is not known, or is the reason of the abort. */
  | { readonly outcome: 'unresolved'; readonly executed: null; readonly error: unknown }

/** What became of a transaction that is over. */
export type Settled = Exclude<Settlement, { outcome: 'unresolved' }>

/** Whether a transaction is over: only then may its bytes be forgotten, and others be sent in their place. */
export const isSettled = (settlement: Settlement): settlement is Settled =>
  settlement.outcome !== 'unresolved'

/** The execution of a transaction that succeeded. Throws the error of any other settlement. */
export function assertExecuted(settlement: Settlement): ExecutedTransaction {
  if (settlement.outcome === 'executed') return settlement.executed
  throw settlement.error
}

/** A step of a transaction, told when it is done and before the next one begins. */
export type SendStep<P extends object> =
  /** `signed`: it exists in memory only. `written`: no byte went out. `resumed`: it was left pending, and is taken up. */
  | { readonly step: 'signed' | 'written' | 'resumed' | TransactionEvent; readonly pending: Pending<P> }
  | { readonly step: 'settled'; readonly pending: Pending<P>; readonly settlement: Settled }
  /** Nothing is left of it. */
  | { readonly step: 'removed'; readonly pending: Pending<P> }
  /** It is over, and settled once more by the next run, which does no harm. */
  | { readonly step: 'not_removed'; readonly pending: Pending<P>; readonly error: PendingFileError }

/** A transaction to be sent, and what it is for: what a later run needs in order to take note of its end. */
export interface SendRequest<P extends object>
  extends Pick<TransactionRequest, 'target' | 'args' | 'paymentMotes'> {
  purpose: P
}

/**
 * Keeps what a transaction's end means to the caller. It is forgotten only once this has returned and the transaction
 * is settled; where this throws, it stays pending.
 */
export type TakeNote<P extends object, T> = (settlement: Settlement, pending: Pending<P>) => T | Promise<T>

export interface DurableSend<P extends object, T> {
  /** What no other transaction of this sender may be under way for. @default nothing */
  keys?: readonly string[]
  /**
   * Checks and puts together what is sent. `reserve` sets a payment aside, and throws a `BalanceError` where the
   * account can't pay it beside all else under way.
   */
  prepare: (reserve: (paymentMotes: bigint) => Promise<void>) => SendRequest<P> | Promise<SendRequest<P>>
  takeNote: TakeNote<P, T>
}

export interface DurableSenderOptions<P extends object>
  extends Omit<FollowOptions, 'onEvent'>,
    Pick<InFlightOptions<P>, 'exclusive'> {
  signer: Signer
  chainName: string
  store: PendingStore<P>
  /** How many transactions may be under way at once; further ones wait. @default 1 */
  concurrency?: number
  /** Told of every step, and waited for. */
  onStep?: (step: SendStep<P>) => unknown
}

/** Sends transactions, each executed once at most, whatever happens to the nodes and to this process. */
export interface DurableSender<P extends object> {
  /**
   * Settles what an earlier run, or an earlier call, left pending: the same bytes go out again until they are executed
   * or have expired. One result for each, in the store's order.
   *
   * Throws what the store throws, before anything is sent, and what `takeNote` throws, once all were tried.
   */
  resume<T>(takeNote: TakeNote<P, T>): Promise<T[]>
  /**
   * Signs a transaction, writes it down, sends it and waits for its end.
   *
   * Throws what the store, `prepare` and the signing throw, before anything is sent, and what `takeNote` throws.
   */
  send<T>(send: DurableSend<P, T>): Promise<T>
}

/**
 * Creates what every paid transaction goes through: sign, write down, send, follow, settle, take note, forget. An abort
 * of the signal ends it with the signal's reason: nothing more is signed, and what is pending stays written down.
 *
 * Only one process may work with what a store holds at a time: hold its lock as long as the sender lives.
 *
 * @example
 * ```ts
 * const sender = createDurableSender({ rpc, signer, chainName, store: createPendingFile(path, { … }) })
 * await sender.resume((settlement) => settlement)
 * const settlement = await sender.send({ prepare: () => request, takeNote: (settlement) => settlement })
 * const { chargedMotes } = assertExecuted(settlement)
 * ```
 */
export function createDurableSender<P extends object>(options: DurableSenderOptions<P>): DurableSender<P> {
  const { rpc, signer, chainName, store, concurrency = 1, onStep = () => {}, signal } = options
  const inFlight = createInFlight<P>({
    accountHash: signer.accountHash,
    getBalance: () => getBalance(rpc, signer.publicKey, signal),
    exclusive: options.exclusive,
  })
  const limit = pLimit(concurrency)
  let loaded: Promise<void> | null = null

  async function load(): Promise<void> {
    await store.removeUnfinished?.()
    for (const pending of await store.list()) inFlight.add(pending)
  }

  /** Once: from then on all that is pending is this sender's own. A fault is looked for again. */
  function loadOnce(): Promise<void> {
    loaded ??= load().catch((error) => {
      loaded = null
      throw error
    })
    return loaded
  }

  async function sign({ purpose, ...request }: SendRequest<P>): Promise<Pending<P>> {
    const { now = Date.now } = options
    signal?.throwIfAborted()
    const signed = await signTransaction(signer, { ...request, chainName, timestamp: now() })
    const pending = createPending(signed, request.paymentMotes, purpose)
    await onStep({ step: 'signed', pending })
    return pending
  }

  /** From here on the transaction is pending, whatever happens to this process. */
  async function writeDown(outgoing: Outgoing<P>, pending: Pending<P>): Promise<void> {
    signal?.throwIfAborted()
    outgoing.pending = pending
    try {
      await store.write(pending)
    } catch (error) {
      // It may be there all the same, and the next run would send it: only once it is not, this never happened.
      await store.remove(pending).then(
        () => {
          outgoing.pending = null
        },
        () => {},
      )
      throw error
    }
    await onStep({ step: 'written', pending })
  }

  async function deliver<T>(
    outgoing: Outgoing<P>,
    pending: Pending<P>,
    isSentBefore: boolean,
    takeNote: TakeNote<P, T>,
  ): Promise<T> {
    const onEvent = (step: TransactionEvent) => onStep({ step, pending })
    const settlement = await settle(signedOf(pending), { ...options, isSentBefore, onEvent })
    if (!isSettled(settlement)) return takeNote(settlement, pending)
    await onStep({ step: 'settled', pending, settlement })
    const noted = await takeNote(settlement, pending)
    await forget(outgoing, pending)
    return noted
  }

  async function forget(outgoing: Outgoing<P>, pending: Pending<P>): Promise<void> {
    outgoing.pending = null
    try {
      await store.remove(pending)
    } catch (error) {
      if (!(error instanceof PendingFileError)) throw error
      await onStep({ step: 'not_removed', pending, error })
      return
    }
    await onStep({ step: 'removed', pending })
  }

  async function resumeOne<T>(
    { outgoing, pending }: { outgoing: Outgoing<P>; pending: Pending<P> },
    takeNote: TakeNote<P, T>,
  ): Promise<T> {
    try {
      signal?.throwIfAborted()
      await onStep({ step: 'resumed', pending })
      return await deliver(outgoing, pending, true, takeNote)
    } finally {
      inFlight.release(outgoing)
    }
  }

  return {
    async resume(takeNote) {
      await loadOnce()
      const left = inFlight.takeUp()
      const results = await Promise.allSettled(left.map((each) => limit(() => resumeOne(each, takeNote))))
      return results.map((result) => {
        if (result.status === 'rejected') throw result.reason
        return result.value
      })
    },
    send: ({ keys = [], prepare, takeNote }) =>
      limit(async () => {
        signal?.throwIfAborted()
        await loadOnce()
        const outgoing = inFlight.begin(keys)
        try {
          const pending = await sign(await prepare((motes) => inFlight.reserve(outgoing, motes)))
          await writeDown(outgoing, pending)
          return await deliver(outgoing, pending, false, takeNote)
        } finally {
          inFlight.release(outgoing)
        }
      }),
  }
}

/** Sends signed bytes, for the first time or again, and follows them to their end. */
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
