import { WattfeedError } from '../../errors.ts'
import type { ConfirmedTransaction } from '../outbox/attestOnce.ts'
import type { BatchOptions } from '../outbox/batchAttestations.ts'
import { NothingToAttestError } from '../outbox/checkChain.ts'
import type { Outbox } from '../outbox/createOutbox.ts'
import type { DroppedAttestation } from '../outbox/dropSuperseded.ts'
import { type PendingTransaction, pendingFeedIds } from '../outbox/pendingTransaction.ts'
import { LATE, type PatienceOptions, withPatience } from './patience.ts'
import type { Sender, Sent } from './sender.ts'

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
  /** Everything that is pending on disk. */
  listPending: () => Promise<readonly PendingTransaction[]>
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
      const { outbox, listPending, offersMany, paymentMotes } = await getOutbox()
      await follow(outbox.resume())
      return { offersMany, paymentMotes, underWay: hashesByFeed(await listPending()) }
    },
    async send(attestations) {
      const { outbox, listPending } = await getOutbox()
      const sent = await follow(attest(outbox, attestations))
      if (sent !== LATE) return sent
      const hashes = hashesByFeed(await listPending())
      const [hash = null] = attestations.flatMap(({ feedId }) => hashes.get(feedId) ?? [])
      throw new TransactionSlowError(hash, patience.patienceMs ?? 0)
    },
    async drain() {
      await Promise.allSettled(underWay)
      return hashesByFeed((await opened?.listPending()) ?? [])
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

function hashesByFeed(pending: readonly PendingTransaction[]): ReadonlyMap<string, string> {
  return new Map(
    pending.flatMap((each) => pendingFeedIds(each).map((feedId) => [feedId, each.transaction_hash])),
  )
}
