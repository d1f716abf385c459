import type { Rpc } from '../../casper/rpc/rpc.ts'
import { assertMaySign, getBalance } from '../../casper/transaction/account.ts'
import { BalanceError } from '../../casper/transaction/inFlight.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import { WattfeedError } from '../../errors.ts'
import type { SourcedAttestation } from '../decide.ts'
import { type BatchOptions, createAttestCall } from '../outbox/attestCall.ts'
import { type Basis, type DroppedAttestation, NothingToAttestError } from '../outbox/checkChain.ts'
import type { ConfirmedTransaction, Outbox } from '../outbox/createOutbox.ts'
import { expiryWords } from '../outbox/feedLocks.ts'
import { type PendingAttestations, pendingFeedIds } from '../outbox/pendingAttestations.ts'

/** The result of sending attestations. */
export interface Sent {
  /** 64 hex digits; null if nothing was sent. */
  readonly transactionHash: string | null
  /** By feed id, why an attestation was not sent after all. */
  readonly superseded: ReadonlyMap<string, DroppedAttestation['decision']>
}

/** A transaction in flight. */
interface UnderWay {
  /** 64 hex digits. */
  readonly transactionHash: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** What a cycle must know before it begins. */
export interface Prepared extends BatchOptions {
  /** Transactions already in flight, by feed id. */
  readonly underWay: ReadonlyMap<string, UnderWay>
  /** Asserts that no other process attests to a feed. @throws {FeedPendingError | FeedBackfillingError} */
  readonly assertFree: (feedId: string) => void
}

/** Brings attestations to the chain. */
export interface Sender {
  /** Gets ready for a cycle: settles what an earlier run or cycle left pending. */
  prepare(): Promise<Prepared>
  /** Sends one transaction, and waits until its attestations are on chain. With a basis, all of them or none. */
  send(attestations: readonly SourcedAttestation[], basis?: Basis): Promise<Sent>
  /** Waits until nothing is followed any more. Returns the hashes of what is still in flight, by feed id. */
  drain(): Promise<ReadonlyMap<string, string>>
}

export interface PatienceOptions {
  /** How long to wait, in milliseconds; null waits for as long as it takes. */
  patienceMs: number | null
  wait: (ms: number, signal: AbortSignal) => Promise<void>
}

interface SenderOptions extends PatienceOptions {
  /** Epoch milliseconds. */
  now: () => number
}

/** The result of work that is not done in time. */
export const LATE: unique symbol = Symbol('late')

/** Waits for work up to a time limit; the work itself goes on. */
export async function withPatience<T>(
  work: Promise<T>,
  { patienceMs, wait }: PatienceOptions,
): Promise<T | typeof LATE> {
  if (patienceMs === null) return work
  const controller = new AbortController()
  const late = wait(patienceMs, controller.signal).then((): typeof LATE => LATE)
  // It rejects when the work is done first.
  late.catch(() => {})
  try {
    return await Promise.race<T | typeof LATE>([work, late])
  } finally {
    controller.abort()
  }
}

/** A transaction takes longer than the other feeds can wait. It is still followed. */
export class TransactionSlowError extends WattfeedError {
  static override readonly name = 'TransactionSlowError'
  readonly code = 'transaction_slow'
  readonly retryable = true

  constructor(
    /** 64 hex digits; null if it is not signed yet. */
    readonly transactionHash: string | null,
    readonly patienceMs: number,
    /** When it expires, in epoch milliseconds; null if it is not signed yet. */
    readonly waitsUntil: number | null,
    /** Epoch milliseconds. */
    now: number,
  ) {
    super(
      `transaction ${transactionHash ?? '(not signed yet)'} is not executed after ${patienceMs} ms; it is followed further, and its feeds are left alone until it is settled${expiryWords(waitsUntil, now)}`,
    )
  }
}

/** An outbox, and how it batches. */
export interface OpenOutbox extends BatchOptions {
  outbox: Outbox
}

/**
 * Creates a sender over an outbox, which is opened when first needed: until then no node is called. A transaction slower
 * than `patienceMs` continues in the background.
 */
export function createOutboxSender(open: () => Promise<OpenOutbox>, patience: SenderOptions): Sender {
  const underWay = new Set<Promise<unknown>>()
  let opened: OpenOutbox | null = null

  async function getOutbox(): Promise<OpenOutbox> {
    opened ??= await open()
    return opened
  }

  /** Nobody awaits late work: it must not end the process if it fails. The outbox logs its result. */
  async function follow<T>(work: Promise<T>): Promise<T | typeof LATE> {
    underWay.add(work)
    const forget = () => void underWay.delete(work)
    work.then(forget, forget)
    return withPatience(work, patience)
  }

  return {
    async prepare() {
      const { outbox, offersMany, paymentMotes } = await getOutbox()
      await follow(outbox.resume())
      const underWay = underWayByFeed(await outbox.listPending())
      return { offersMany, paymentMotes, underWay, assertFree: outbox.assertFree }
    },
    async send(attestations, basis) {
      const { outbox } = await getOutbox()
      const sent = await follow(attest(outbox, attestations, basis))
      if (sent !== LATE) return sent
      const pending = underWayByFeed(await outbox.listPending())
      const [found] = attestations.flatMap(({ feed_id }) => pending.get(feed_id) ?? [])
      throw new TransactionSlowError(
        found?.transactionHash ?? null,
        patience.patienceMs ?? 0,
        found?.expiresAt ?? null,
        patience.now(),
      )
    },
    async drain() {
      await Promise.allSettled(underWay)
      const pending = (await opened?.outbox.listPending()) ?? []
      return new Map(
        pending.flatMap((each) => pendingFeedIds(each).map((feedId) => [feedId, each.transaction_hash])),
      )
    },
  }
}

async function attest(outbox: Outbox, ...call: Parameters<Outbox['attest']>): Promise<Sent> {
  try {
    return sentOf(await outbox.attest(...call))
  } catch (error) {
    if (!(error instanceof NothingToAttestError)) throw error
    return { transactionHash: null, superseded: supersededOf(error.dropped) }
  }
}

const sentOf = ({ transactionHash, dropped }: ConfirmedTransaction): Sent => ({
  transactionHash,
  superseded: supersededOf(dropped),
})

const supersededOf = (dropped: readonly DroppedAttestation[]): Sent['superseded'] =>
  new Map(dropped.map(({ feedId, decision }) => [feedId, decision]))

function underWayByFeed(pending: readonly PendingAttestations[]): ReadonlyMap<string, UnderWay> {
  return new Map(
    pending.flatMap((each) => {
      const { transaction_hash: transactionHash, expires_at: expiresAt } = each
      return pendingFeedIds(each).map((feedId) => [feedId, { transactionHash, expiresAt }])
    }),
  )
}

export interface DryRunOptions {
  rpc: Rpc
  /** Who would pay; null without a key: then no balance is checked. */
  signer: Signer | null
  /** Reads what the deployed contract offers. */
  readBatchOptions: () => Promise<BatchOptions>
}

/** Creates a sender that sends nothing, but checks arguments, gas and balance. */
export function createDryRunSender({ rpc, signer, readBatchOptions }: DryRunOptions): Sender {
  let options: BatchOptions = { offersMany: false, paymentMotes: null }
  return {
    async prepare() {
      options = await readBatchOptions()
      return { ...options, underWay: new Map(), assertFree: () => {} }
    },
    async send(attestations) {
      const { paymentMotes } = createAttestCall(attestations, options)
      if (signer !== null) await assertBalance(rpc, signer, paymentMotes)
      return { transactionHash: null, superseded: new Map() }
    },
    drain: async () => new Map(),
  }
}

async function assertBalance(rpc: Rpc, signer: Signer, needed: bigint): Promise<void> {
  const { initiator, accountHash } = signer
  await assertMaySign(rpc, signer)
  const balanceMotes = await getBalance(rpc, initiator)
  if (balanceMotes === null || balanceMotes < needed)
    throw new BalanceError(accountHash, balanceMotes, needed)
}
