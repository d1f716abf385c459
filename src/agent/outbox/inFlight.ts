import { WattfeedError } from '../../errors.ts'
import { type PendingTransaction, pendingFeedIds } from './pendingTransaction.ts'

/** A feed whose earlier transaction is not settled: another one could attest the same twice. Nothing was sent. */
export class FeedPendingError extends WattfeedError {
  static override readonly name = 'FeedPendingError'
  readonly code = 'feed_pending'
  readonly retryable = true

  constructor(
    readonly feedId: string,
    /** 64 hex digits, or null where the transaction is not signed yet. */
    readonly transactionHash: string | null,
  ) {
    super(
      `${feedId} has an attestation on its way${transactionHash === null ? '' : ` in transaction ${transactionHash}`}; wait until that is settled`,
    )
  }
}

/** A transaction under way, from its checks to the end of its file. */
export interface Outgoing {
  readonly feedIds: readonly string[]
  /** What it pays, once there is known to be enough for it; 0 before. */
  paymentMotes: bigint
  /** What its file holds, as long as there is one. */
  pending: PendingTransaction | null
  /** Whether a call is at work on it. */
  isFollowed: boolean
}

/** Every transaction under way. */
export interface InFlight {
  /** Throws a {@link FeedPendingError} where one of the feeds is under way already. */
  begin(feedIds: readonly string[]): Outgoing
  /** One that an earlier run left. */
  add(pending: PendingTransaction): void
  /** Takes up those that no call is at work on, in their order. */
  takeUp(): { outgoing: Outgoing; pending: PendingTransaction }[]
  /** The call's work is over: what has a file stays for {@link InFlight.takeUp}, the rest is gone. */
  release(outgoing: Outgoing): void
  /** What all of them pay, in motes. */
  totalMotes(): bigint
  /** How many that pay are gone. */
  gone(): number
}

/** Starts with nothing under way. */
export function createInFlight(): InFlight {
  const all = new Set<Outgoing>()
  let gone = 0

  function assertFree(feedId: string): void {
    for (const { feedIds, pending } of all)
      if (feedIds.includes(feedId)) throw new FeedPendingError(feedId, pending?.transaction_hash ?? null)
  }

  return {
    begin(feedIds) {
      for (const feedId of feedIds) assertFree(feedId)
      const outgoing = { feedIds, paymentMotes: 0n, pending: null, isFollowed: true }
      all.add(outgoing)
      return outgoing
    },
    add(pending) {
      const paymentMotes = BigInt(pending.payment_motes)
      all.add({ feedIds: pendingFeedIds(pending), paymentMotes, pending, isFollowed: false })
    },
    takeUp: () =>
      [...all].flatMap((outgoing) => {
        if (outgoing.isFollowed || outgoing.pending === null) return []
        outgoing.isFollowed = true
        return [{ outgoing, pending: outgoing.pending }]
      }),
    release(outgoing) {
      outgoing.isFollowed = false
      if (outgoing.pending !== null) return
      all.delete(outgoing)
      if (outgoing.paymentMotes > 0n) gone += 1
    },
    totalMotes: () => [...all].reduce((sum, { paymentMotes }) => sum + paymentMotes, 0n),
    gone: () => gone,
  }
}
