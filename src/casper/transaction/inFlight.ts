import { WattfeedError } from '../../errors.ts'
import type { Pending } from './pendingStore.ts'

/** The account cannot pay for a transaction beside those that are on their way. Nothing was sent. */
export class BalanceError extends WattfeedError {
  static override readonly name = 'BalanceError'
  readonly code = 'balance'
  readonly retryable = false

  constructor(
    /** `account-hash-…` */
    readonly accountHash: string,
    /** Null where the chain does not know the account. */
    readonly balanceMotes: bigint | null,
    /** What everything on its way pays, with this transaction. */
    readonly neededMotes: bigint,
  ) {
    const has = balanceMotes === null ? 'is not known to the chain' : `has ${balanceMotes} motes`
    super(`${accountHash} ${has}, and what is on its way pays ${neededMotes} motes; send CSPR to the account`)
  }
}

/** A transaction under way, from its checks to the removal of what was written down. */
export interface Outgoing<P extends object> {
  /** What no other transaction may be under way for. */
  readonly keys: readonly string[]
  /** What it pays, once there is known to be enough for it; 0 before. */
  paymentMotes: bigint
  /** What is written down of it, as long as it is. */
  pending: Pending<P> | null
  /** Whether a call is at work on it. */
  isFollowed: boolean
}

/** Every transaction under way. */
export interface InFlight<P extends object> {
  /** Begins one, unless one with one of its keys is under way: then throws what `taken` makes. */
  begin(keys: readonly string[]): Outgoing<P>
  /** Adds one that an earlier run left. */
  add(pending: Pending<P>): void
  /** Takes up those that no call is at work on, in their order. */
  takeUp(): { outgoing: Outgoing<P>; pending: Pending<P> }[]
  /** Ends the call's work: what is written down stays for {@link InFlight.takeUp}, the rest is gone. */
  release(outgoing: Outgoing<P>): void
  /** Sets a payment aside. @throws {BalanceError} unless there is enough for it and for all else in flight. */
  reserve(outgoing: Outgoing<P>, paymentMotes: bigint): Promise<void>
}

export interface InFlightOptions<P extends object> {
  /** `account-hash-…` of who pays. */
  accountHash: string
  /** What it can spend, in motes; null if the chain does not know it. */
  getBalance: () => Promise<bigint | null>
  exclusive?: Exclusive<P> | undefined
}

/** Allows one transaction at a time for each key. */
export interface Exclusive<P extends object> {
  keysOf: (pending: Pending<P>) => readonly string[]
  /** The error of a key that is taken; the hash is null while that transaction is not signed. */
  taken: (key: string, transactionHash: string | null) => Error
}

/** Starts with nothing under way. */
export function createInFlight<P extends object>(options: InFlightOptions<P>): InFlight<P> {
  const { accountHash, getBalance, exclusive } = options
  const all = new Set<Outgoing<P>>()
  /** How many that pay are gone. */
  let gone = 0

  function assertFree(key: string): void {
    const holder = [...all].find(({ keys }) => keys.includes(key))
    if (holder && exclusive) throw exclusive.taken(key, holder.pending?.transaction_hash ?? null)
  }

  return {
    begin(keys) {
      for (const key of keys) assertFree(key)
      const outgoing = { keys, paymentMotes: 0n, pending: null, isFollowed: true }
      all.add(outgoing)
      return outgoing
    },
    add(pending) {
      const paymentMotes = BigInt(pending.payment_motes)
      all.add({ keys: exclusive?.keysOf(pending) ?? [], paymentMotes, pending, isFollowed: false })
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
    async reserve(outgoing, paymentMotes) {
      for (;;) {
        const before = gone
        const balanceMotes = await getBalance()
        // Where another one was settled meanwhile, the balance may be from before that was paid.
        if (gone !== before) continue
        const neededMotes = [...all].reduce((sum, each) => sum + each.paymentMotes, paymentMotes)
        if (balanceMotes === null || balanceMotes < neededMotes)
          throw new BalanceError(accountHash, balanceMotes, neededMotes)
        outgoing.paymentMotes = paymentMotes
        return
      }
    },
  }
}
