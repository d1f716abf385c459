import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getBalance } from '../../casper/transaction/account.ts'
import { BalanceError } from '../../casper/transaction/inFlight.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import { WattfeedError } from '../../errors.ts'
import type { NewAttestation } from '../../registry/calls.ts'
import { type BatchOptions, createAttestCall } from '../outbox/attestCall.ts'
import { type DroppedAttestation, NothingToAttestError } from '../outbox/checkChain.ts'
import type { ConfirmedTransaction, Outbox } from '../outbox/createOutbox.ts'
import { type PendingAttestations, pendingFeedIds } from '../outbox/pendingAttestations.ts'

/** What sent attestations came to. */
export interface Sent {
  /** 64 hex digits, or null where nothing was sent. */
  readonly transactionHash: string | null
  /** What was not sent because the chain held it, or a newer value, just before; by feed id. */
  readonly superseded: ReadonlyMap<string, 'unchanged' | 'older-than-chain'>
}

/** What a cycle has to know before it begins. */
export interface Prepared extends BatchOptions {
  /** What is on its way already: transaction hashes by feed id. */
  readonly underWay: ReadonlyMap<string, string>
}

/** Brings attestations to the chain. */
export interface Sender {
  /** Gets ready for a cycle: settles what an earlier run or cycle left pending. */
  prepare(): Promise<Prepared>
  /** Sends one transaction, and waits until its attestations are on chain. */
  send(attestations: readonly NewAttestation[]): Promise<Sent>
  /** Waits until nothing is followed any more. Returns what is on its way still, as {@link Prepared.underWay}. */
  drain(): Promise<ReadonlyMap<string, string>>
}

export interface PatienceOptions {
  /** How long to wait, in milliseconds; null waits for as long as it takes. */
  patienceMs: number | null
  wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Stands for work that is not done yet. */
export const LATE: unique symbol = Symbol('late')

/** Waits for work only so long; the work itself goes on, for whoever still looks at it. */
export async function withPatience<T>(
  work: Promise<T>,
  { patienceMs, wait }: PatienceOptions,
): Promise<T | typeof LATE> {
  if (patienceMs === null) return work
  const controller = new AbortController()
  const late = wait(patienceMs, controller.signal).then((): typeof LATE => LATE)
  // It is told to end where the work is first.
  late.catch(() => {})
  try {
    return await Promise.race<T | typeof LATE>([work, late])
  } finally {
    controller.abort()
  }
}

/** A transaction that takes longer than the other feeds can wait for. It is followed further. */
export class TransactionSlowError extends WattfeedError {
  static override readonly name = 'TransactionSlowError'
  readonly code = 'transaction_slow'
  readonly retryable = true

  constructor(
    /** 64 hex digits, or null where it was not signed yet. */
    readonly transactionHash: string | null,
    readonly patienceMs: number,
  ) {
    super(
      `transaction ${transactionHash ?? '(not signed yet)'} is not executed after ${patienceMs} ms; it is followed further, and its feeds are left alone until it is settled`,
    )
  }
}

/** An outbox, and what it can put into one transaction. */
export interface OpenOutbox extends BatchOptions {
  outbox: Outbox
}

/**
 * Sends through an outbox, which is opened when it is first needed: until then no node need be there. A transaction
 * that is slower than `patienceMs` goes on alone.
 */
export function createOutboxSender(open: () => Promise<OpenOutbox>, patience: PatienceOptions): Sender {
  const underWay = new Set<Promise<unknown>>()
  let opened: OpenOutbox | null = null

  async function getOutbox(): Promise<OpenOutbox> {
    opened ??= await open()
    return opened
  }

  /** Late work is nobody's any more, and must not end the process where it fails: the outbox logs what it comes to. */
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
      return { offersMany, paymentMotes, underWay: hashesByFeed(await outbox.listPending()) }
    },
    async send(attestations) {
      const { outbox } = await getOutbox()
      const sent = await follow(attest(outbox, attestations))
      if (sent !== LATE) return sent
      const hashes = hashesByFeed(await outbox.listPending())
      const [hash = null] = attestations.flatMap(({ feedId }) => hashes.get(feedId) ?? [])
      throw new TransactionSlowError(hash, patience.patienceMs ?? 0)
    },
    async drain() {
      await Promise.allSettled(underWay)
      return hashesByFeed((await opened?.outbox.listPending()) ?? [])
    },
  }
}

async function attest(outbox: Outbox, attestations: Parameters<Outbox['attest']>[0]): Promise<Sent> {
  try {
    return sentOf(await outbox.attest(attestations))
  } catch (error) {
    if (!(error instanceof NothingToAttestError)) throw error
    return { transactionHash: null, superseded: supersededOf(error.dropped) }
  }
}

const sentOf = ({ transactionHash, dropped }: ConfirmedTransaction): Sent => ({
  transactionHash,
  superseded: supersededOf(dropped),
})

const decisions = { already_attested: 'unchanged', older_than_chain: 'older-than-chain' } as const

function supersededOf(dropped: readonly DroppedAttestation[]): Sent['superseded'] {
  return new Map(dropped.map(({ feedId, outcome }) => [feedId, decisions[outcome]]))
}

function hashesByFeed(pending: readonly PendingAttestations[]): ReadonlyMap<string, string> {
  return new Map(
    pending.flatMap((each) => pendingFeedIds(each).map((feedId) => [feedId, each.transaction_hash])),
  )
}

export interface DryRunOptions {
  rpc: Rpc
  /** Who would pay; null where there is no key, and then nobody's balance is looked at. */
  signer: Signer | null
  /** Tells what the deployed contract offers. */
  readBatchOptions: () => Promise<BatchOptions>
}

/** Sends nothing, and checks what can be checked before sending: arguments, gas and balance. */
export function createDryRunSender({ rpc, signer, readBatchOptions }: DryRunOptions): Sender {
  let options: BatchOptions = { offersMany: false, paymentMotes: null }
  return {
    async prepare() {
      options = await readBatchOptions()
      return { ...options, underWay: new Map() }
    },
    async send(attestations) {
      const { paymentMotes } = createAttestCall(attestations, options)
      if (signer !== null) await assertBalance(rpc, signer, paymentMotes)
      return { transactionHash: null, superseded: new Map() }
    },
    drain: async () => new Map(),
  }
}

async function assertBalance(rpc: Rpc, { publicKey, accountHash }: Signer, needed: bigint): Promise<void> {
  const balanceMotes = await getBalance(rpc, publicKey)
  if (balanceMotes === null || balanceMotes < needed)
    throw new BalanceError(accountHash, balanceMotes, needed)
}
