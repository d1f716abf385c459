import { assertOptions, memberAt, type OptionNames, WattfeedError } from '@wattfeed/base'
import pLimit from 'p-limit'
import { assertMaySign, getBalanceAtNewest } from './account.ts'
import { clockOffMs } from './clockOff.ts'
import { defaultTerms, type TransactionRequest, type TransactionTerms } from './createTransaction.ts'
import { readNetworkTerms } from './networkTerms.ts'
import {
  type FollowOptions,
  type SendOptions,
  sendTransaction,
  type TransactionEvent,
} from './sendTransaction.ts'
import {
  isSettled,
  type Settled,
  type Settlement,
  TransactionExpiredError,
  TransactionFailedError,
} from './settlement.ts'
import type { Signer } from './signer.ts'
import { type SignedTransaction, signTransaction } from './signTransaction.ts'
import { TransactionRefusedError } from './transactionRefused.ts'
import {
  type Claim,
  type Pending,
  type Purpose,
  pendingOf,
  signedOf,
  type TransactionStore,
} from './transactionStore.ts'

/** A transaction that was sent or resumed, and its outcome. */
export interface Delivery {
  readonly settlement: Settlement
  readonly pending: Pending
}

/** A step of a transaction, reported when it is done and before the next one starts. */
export type SendStep =
  /** `signed`: in memory only. `written`: on disk, not sent. `resumed`: left pending by an earlier run or call. */
  | { readonly step: 'signed' | 'written' | 'resumed' | TransactionEvent; readonly pending: Pending }
  | { readonly step: 'settled'; readonly pending: Pending; readonly settlement: Settled }
  /** This machine's clock differs from the nodes'. Reported once. */
  | { readonly step: 'clock_off'; readonly pending: Pending; readonly aheadMs: number }
  /** Its entry was removed from the store, and its outcome recorded. */
  | { readonly step: 'removed'; readonly pending: Pending }
  /** It is settled, but still stored. The store removes it later, or the next run settles it again, which is harmless. */
  | { readonly step: 'not_removed'; readonly pending: Pending; readonly error: WattfeedError }

/** A transaction to sign, and its purpose. */
export interface SendRequest extends Pick<TransactionRequest, 'target' | 'args' | 'paymentMotes'> {
  purpose: Purpose
}

/** A transaction to send. */
export interface DurableSend {
  /** No other transaction may be in flight with one of these keys. @default none */
  keys?: readonly string[]
  /** A payment to reserve first, beside those of everything else in flight. @default null reserves nothing */
  reserveMotes?: bigint | null
  /** Checks and builds the transaction, while no other one can be in flight with its keys. */
  prepare: () => SendRequest | Promise<SendRequest>
}

/** Options of {@link createDurableSender}. */
export interface DurableSenderOptions extends Omit<FollowOptions, 'onEvent'>, Partial<TransactionTerms> {
  signer: Signer
  chainName: string
  store: TransactionStore
  /** Maximum number of transactions in flight; further ones wait. @default 1 */
  concurrency?: number
  /** Called with every step, and awaited. */
  onStep?: (step: SendStep) => unknown
}

/** The names of {@link FollowOptions} without `onEvent`. */
export const followOptionNames: OptionNames<Omit<FollowOptions, 'onEvent'>> = {
  rpc: 1,
  pollMs: 1,
  wait: 1,
  now: 1,
  signal: 1,
}

/** The names of {@link DurableSenderOptions}. */
export const senderOptionNames: OptionNames<DurableSenderOptions> = {
  ...followOptionNames,
  transactionTtlMs: 1,
  gasPriceTolerance: 1,
  signer: 1,
  chainName: 1,
  store: 1,
  concurrency: 1,
  onStep: 1,
}

/** Sends transactions, each executed at most once, even if nodes fail or this process is killed. */
export interface DurableSender {
  /**
   * Delivers the pending transactions of earlier runs and calls: sends the same bytes again until they are executed or
   * expired. Skips transactions that another process is following. Returns one delivery each, in the store's order.
   *
   * @throws errors of the store, before anything is sent.
   */
  resume(): Promise<Delivery[]>
  /**
   * Signs a transaction, and delivers it.
   *
   * @throws errors of the store, `prepare` and signing, before anything is sent; a `BalanceError` if the account cannot pay
   * `reserveMotes`.
   */
  send(send: DurableSend): Promise<Delivery>
  /** Returns all unsettled transactions. @throws the errors of the store. */
  listPending(): Promise<readonly Pending[]>
}

/**
 * Creates the sender of every paid transaction. It first builds and signs, then stores, sends, follows and settles. The store
 * records the outcome and removes the transaction in one step. Aborting the signal ends both with the signal's reason: nothing
 * more is signed, and pending transactions stay stored.
 *
 * Call `resume` first at every start: it finishes what an earlier run has left.
 *
 * @example
 * ```ts
 * import { createRpc } from '@wattfeed/casper'
 * import { createDurableSender, loadSigner, type TransactionStore } from '@wattfeed/casper/transaction'
 * import { clU64 } from '@wattfeed/casper/types'
 *
 * async function callOnce(store: TransactionStore, packageHash: string): Promise<string> {
 *   const chainName = 'casper-test'
 *   const rpc = createRpc({ urls: ['http://localhost:7777/rpc'], chainName, fetch })
 *   const { signer } = await loadSigner('secret_key.pem')
 *   const sender = createDurableSender({ rpc, chainName, signer, store })
 *   await sender.resume()
 *   const { settlement } = await sender.send({
 *     prepare: () => ({
 *       target: { packageHash, entryPoint: 'count' },
 *       args: { by: clU64(1n) },
 *       paymentMotes: 3_000_000_000n,
 *       purpose: { kind: 'count' },
 *     }),
 *   })
 *   return settlement.outcome // executed, failed, expired, refused or unresolved
 * }
 * ```
 *
 * @throws {InvalidArgumentError} for an option that does not exist.
 */
export function createDurableSender(options: DurableSenderOptions): DurableSender {
  assertOptions(options, senderOptionNames)
  const { rpc, signer, store, concurrency = 1, onStep = () => {}, signal } = options
  const { gasPriceTolerance } = { ...defaultTerms, ...options }
  const limit = pLimit(concurrency)
  const sign = createSigning(options)

  async function send(request: DurableSend): Promise<Delivery> {
    assertOptions(request, { keys: 1, reserveMotes: 1, prepare: 1 })
    const { keys = [], reserveMotes = null, prepare } = request
    signal?.throwIfAborted()
    await assertMaySign(rpc, signer, signal)
    return during(await store.claim(keys), options, async (claim) => {
      if (reserveMotes !== null) {
        const balance = await getBalanceAtNewest(rpc, signer.initiator, signal)
        await store.reserve(claim, reserveMotes * BigInt(gasPriceTolerance), balance)
      }
      const pending = await sign(await prepare())
      await write(claim, pending, options)
      return deliver(claim, pending, { ...options, isSentBefore: false })
    })
  }

  return {
    send: (request) => limit(() => send(request)),
    async resume() {
      const left = await store.adopt()
      const resumeOne = ({ claim, pending }: (typeof left)[number]) =>
        during(claim, options, async () => {
          await onStep({ step: 'resumed', pending })
          return deliver(claim, pending, { ...options, isSentBefore: true })
        })
      const results = await Promise.allSettled(left.map((each) => limit(resumeOne, each)))
      return results.map((result) => {
        if (result.status === 'rejected') throw result.reason
        return result.value
      })
    },
    listPending: async () => store.list(),
  }
}

/** Options of {@link deliverStored}. */
export interface DeliverOptions
  extends Pick<SendOptions, 'isSentBefore' | 'isShared'>,
    Omit<FollowOptions, 'onEvent'>,
    Pick<DurableSenderOptions, 'store' | 'onStep'> {
  /** The signer's own key, if it is known. */
  signer: { readonly publicKey: string | null }
}

const deliverNames: OptionNames<DeliverOptions> = {
  ...followOptionNames,
  isSentBefore: 1,
  isShared: 1,
  store: 1,
  onStep: 1,
  signer: 1,
}

/**
 * Stores a transaction that others have signed, sends it and waits until it is settled. Others may have sent it before.
 *
 * If it has approvals of other keys, a rejection is not its outcome, unless `isShared` says so. A node checks only the
 * approvals that it receives, and the same transaction may arrive with more of them.
 *
 * @throws {InvalidArgumentError} for an option that does not exist.
 * @throws errors of the store, before it is sent.
 */
export async function deliverStored(pending: Pending, options: DeliverOptions): Promise<Delivery> {
  assertOptions(options, deliverNames)
  return during(await options.store.claim([]), options, async (claim) => {
    await write(claim, pending, options)
    return deliver(claim, pending, options)
  })
}

/** Does the work of a claim, and always ends the claim afterwards. */
async function during<T>(
  claim: Claim,
  { store, signal }: Pick<DeliverOptions, 'store' | 'signal'>,
  work: (claim: Claim) => Promise<T>,
): Promise<T> {
  try {
    signal?.throwIfAborted()
    return await work(claim)
  } finally {
    await store.release(claim)
  }
}

/** Stores a transaction. It is pending from now on, even if this process is killed. */
async function write(
  claim: Claim,
  pending: Pending,
  { store, onStep, signal }: Pick<DeliverOptions, 'store' | 'onStep' | 'signal'>,
): Promise<void> {
  signal?.throwIfAborted()
  await store.write(claim, pending)
  await onStep?.({ step: 'written', pending })
}

/** Sends a stored transaction and follows it. Once it is settled, its outcome is recorded, and it is removed from the store. */
async function deliver(claim: Claim, pending: Pending, options: DeliverOptions): Promise<Delivery> {
  const { signer, store, onStep = () => {}, isShared = !isSignedOnlyBy(signer, pending) } = options
  const onEvent = (step: TransactionEvent) => onStep({ step, pending })
  const settlement = await settle(signedOf(pending), { ...options, isShared, onEvent })
  if (!isSettled(settlement)) return { settlement, pending }
  await onStep({ step: 'settled', pending, settlement })
  try {
    await store.settle(claim, pending, settlement)
  } catch (error) {
    if (!(error instanceof WattfeedError)) throw error
    await onStep({ step: 'not_removed', pending, error })
    return { settlement, pending }
  }
  await onStep({ step: 'removed', pending })
  return { settlement, pending }
}

/** The first half: builds and signs. */
function createSigning(options: DurableSenderOptions) {
  const { rpc, signer, chainName, onStep = () => {}, signal } = options
  const { now = Date.now, transactionTtlMs, gasPriceTolerance } = { ...defaultTerms, ...options }
  let isClockReported = false

  async function reportClock(pending: Pending): Promise<void> {
    const aheadMs = clockOffMs(rpc, now)
    if (aheadMs === null || isClockReported) return
    isClockReported = true
    await onStep({ step: 'clock_off', pending, aheadMs })
  }

  return async ({ purpose, ...request }: SendRequest): Promise<Pending> => {
    signal?.throwIfAborted()
    const network = await readNetworkTerms(rpc, transactionTtlMs, now)
    const terms = { chainName, ...network, transactionTtlMs, gasPriceTolerance }
    const signed = await signTransaction(signer, { ...request, ...terms })
    // The payment at the highest tolerated gas price.
    const payment_motes = `${request.paymentMotes * BigInt(gasPriceTolerance)}`
    const pending = pendingOf(signed, { chain_name: chainName, payment_motes, purpose })
    await onStep({ step: 'signed', pending })
    await reportClock(pending)
    return pending
  }
}

/** Returns whether a transaction has no approvals of other keys. */
function isSignedOnlyBy({ publicKey }: { publicKey: string | null }, { transaction }: Pending): boolean {
  const approvals = memberAt(transaction, 'Version1', 'approvals')
  return Array.isArray(approvals) && approvals.every((each) => memberAt(each, 'signer') === publicKey)
}

const sendNames: OptionNames<SendOptions> = { ...followOptionNames, onEvent: 1, isSentBefore: 1, isShared: 1 }

/**
 * Sends signed bytes, for the first time or again, and follows them until they are settled. Stores nothing.
 *
 * @throws {InvalidArgumentError} for an option that does not exist.
 */
export async function deliverSigned(signed: SignedTransaction, options: SendOptions): Promise<Settlement> {
  assertOptions(options, sendNames)
  return settle(signed, options)
}

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
