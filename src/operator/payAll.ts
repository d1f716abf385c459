import { pickOptions, WattfeedError } from '@wattfeed/base'
import {
  createDurableSender,
  type Delivery,
  type DurableSender,
  type DurableSenderOptions,
  type ExecutedTransaction,
  isSettled,
  type Pending,
  type Purpose,
  type SendRequest,
  senderOptionNames,
} from '@wattfeed/casper/transaction'
import pLimit from 'p-limit'
import { assertBalance, readSignerAccount } from './preflight.ts'
import { type OutFile, type WrittenTransaction, writeTransaction } from './transaction/writeTransaction.ts'

/** A transaction that a command pays for. */
export interface PaidStep {
  /** Returns whether a transaction that an earlier run has sent is this one. */
  isSame(purpose: Purpose): boolean
  /**
   * Returns the transaction; null if its effect is on chain; or why it would fail, if the other steps may be sent all the
   * same. Called for all steps before the first is sent, and for each again before it is signed: others may have written
   * meanwhile.
   *
   * @throws to end the command
   */
  request(): Promise<SendRequest | WattfeedError | null>
  /** Returns the payment before the first step is sent. For a step whose `request` needs the effects of others. */
  plan?(): Promise<bigint>
}

/** The account that pays for a command's steps, its nodes, and the store of pending transactions. */
export interface Payer extends Omit<DurableSenderOptions, 'concurrency'> {
  /** Whether everything is checked, and nothing is sent. @default false */
  isDryRun?: boolean
  /** The file to write a transaction to, instead of sending it. @default null */
  out?: OutFile | null
  /** Called with a transaction that was written there, and awaited. */
  onWritten?: (written: WrittenTransaction, purpose: Purpose) => unknown
  /**
   * Steps in flight at once. More than one are independent of each other: a step that fails says so in its outcome, and the
   * others continue. Without that, the first failure is thrown. @default 1
   */
  atOnce?: number
}

/** What reports say of a transaction. */
export type SentTransaction = Pick<Pending, 'purpose' | 'transaction_hash' | 'payment_motes'>

/** A transaction that was signed, in this run or an earlier one. */
export type Sent =
  | { state: 'executed'; pending: SentTransaction; executed: ExecutedTransaction }
  /** Without error: an earlier run has sent it, and this one is a dry run. */
  | { state: 'pending'; pending: SentTransaction; executed: null; error: WattfeedError | null }
  /** Of independent steps only. */
  | {
      state: 'failed'
      pending: SentTransaction
      executed: ExecutedTransaction | null
      error: WattfeedError
    }

/** What has become of a step. */
export type Outcome =
  | Sent
  | { state: 'done' }
  | { state: 'planned'; paymentMotes: bigint }
  | { state: 'written'; written: WrittenTransaction }
  /** Of independent steps only: it would fail, or the chain could not be read, or the balance fell meanwhile. */
  | { state: 'refused' | 'not_sent'; error: WattfeedError }

/** The progress of independent steps. */
export interface StepCount {
  /** Steps with a known outcome. */
  done: number
  /** Steps to send. */
  total: number
  /** Upper bound of all payments. */
  paymentMotes: bigint
}

/**
 * Settles the transactions that an earlier run left pending; a dry run only lists them. Those that expired are left out:
 * their steps are still to be sent.
 *
 * @throws if one failed or is not settled, unless the steps are independent
 */
export async function settleEarlier(payer: Payer): Promise<Sent[]> {
  if (payer.isDryRun)
    return (await payer.store.list()).map((pending) => ({
      state: 'pending',
      pending,
      executed: null,
      error: null,
    }))
  const left = await createSender(payer).resume()
  return left
    .filter(({ settlement }) => settlement.outcome !== 'expired')
    .map((delivery) => sentOf(delivery, payer))
}

/** Settles what an earlier run left pending, and sends a step, unless it was one of those. */
export async function payOne(step: PaidStep, payer: Payer): Promise<Outcome> {
  const earlier = await settleEarlier(payer)
  const own = earlier.find(({ pending }) => step.isSame(pending.purpose))
  if (own !== undefined) return own
  const [outcome = { state: 'done' }] = await payAll([step], payer)
  return outcome
}

/**
 * Sends steps one after another, or independent ones at once, after checking all of them and that the balance covers them.
 * If the payer has a file, the first one is written there, and the others stay planned. Returns their outcomes, in order.
 *
 * @throws {PreflightError} before anything is sent
 */
export async function payAll(
  steps: readonly PaidStep[],
  payer: Payer,
  onCount: (count: StepCount) => void = () => {},
): Promise<Outcome[]> {
  const { isDryRun = false, out = null, atOnce = 1, rpc, signer } = payer
  const planned = await inTurn(atOnce, steps, planStep)
  const payments = planned.flatMap((each) => (each.state === 'planned' ? each.paymentMotes : []))
  const paymentMotes = payments.reduce((sum, each) => sum + each, 0n)
  if (paymentMotes > 0n) assertBalance(await readSignerAccount(rpc, signer), paymentMotes, payer)
  if (isDryRun || payments.length === 0) return planned
  if (out !== null) return writeFirst(steps, planned, { ...payer, out })
  const sender = createSender(payer)
  const total = payments.length
  let done = 0
  onCount({ done, total, paymentMotes })
  return inTurn(atOnce, steps, async (step, index) => {
    const plan = planned[index]
    if (plan?.state !== 'planned') return plan ?? { state: 'done' }
    const outcome = await sendStep(step, sender, payer)
    onCount({ done: ++done, total, paymentMotes })
    return outcome
  })
}

async function planStep(step: PaidStep): Promise<Outcome> {
  if (step.plan !== undefined) return { state: 'planned', paymentMotes: await step.plan() }
  const request = await step.request()
  return isRequest(request)
    ? { state: 'planned', paymentMotes: request.paymentMotes }
    : outcomeWithout(request)
}

const isRequest = (request: SendRequest | WattfeedError | null): request is SendRequest =>
  request !== null && !(request instanceof WattfeedError)

const outcomeWithout = (error: WattfeedError | null): Outcome =>
  error === null ? { state: 'done' } : { state: 'refused', error }

async function sendStep(step: PaidStep, sender: DurableSender, payer: Payer): Promise<Outcome> {
  const { atOnce = 1 } = payer
  try {
    const request = await step.request()
    if (!isRequest(request)) return outcomeWithout(request)
    // Independent steps reserve their payments, because others are in flight.
    if (atOnce === 1)
      assertBalance(await readSignerAccount(payer.rpc, payer.signer), request.paymentMotes, payer)
    const reserveMotes = atOnce > 1 ? request.paymentMotes : null
    const delivery = await sender.send({ reserveMotes, prepare: () => request })
    return sentOf(delivery, payer)
  } catch (error) {
    if (atOnce > 1 && error instanceof WattfeedError) return { state: 'not_sent', error }
    throw error
  }
}

/** Works on items one after another up to the first that throws; or on several at once, and throws once none is worked on. */
async function inTurn<T, R>(
  atOnce: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  if (atOnce === 1) {
    const results: R[] = []
    for (const [index, item] of items.entries()) results.push(await work(item, index))
    return results
  }
  const limit = pLimit(atOnce)
  const settled = await Promise.allSettled(items.map((item, index) => limit(work, item, index)))
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

/** Creates the sender of a payer, which may have more than the sender's options. */
export const createSender = (payer: Payer): DurableSender =>
  createDurableSender(
    pickOptions<DurableSenderOptions>({ ...payer, concurrency: payer.atOnce ?? 1 }, senderOptionNames),
  )

/** @throws the error of one that was not executed, unless the steps are independent; an unexpected one always */
function sentOf({ settlement, pending }: Delivery, { atOnce = 1 }: Payer): Sent {
  if (settlement.outcome === 'executed') return { state: 'executed', pending, executed: settlement.executed }
  const { error, executed } = settlement
  if (atOnce === 1 || !(error instanceof WattfeedError)) throw error
  return isSettled(settlement)
    ? { state: 'failed', pending, executed, error }
    : { state: 'pending', pending, executed: null, error }
}

async function writeFirst(
  steps: readonly PaidStep[],
  planned: readonly Outcome[],
  { onWritten, ...payer }: Payer & { out: OutFile },
): Promise<Outcome[]> {
  const first = planned.findIndex(({ state }) => state === 'planned')
  const request = (await steps[first]?.request()) ?? null
  if (!isRequest(request)) return planned.with(first, outcomeWithout(request))
  const written = await writeTransaction(request, payer)
  await onWritten?.(written, request.purpose)
  return planned.with(first, { state: 'written', written })
}
