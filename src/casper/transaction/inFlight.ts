import { WattfeedError } from '../../errors.ts'
import type { Pending } from './pendingStore.ts'

/** The account cannot pay for a transaction on top of those in flight. Nothing was sent. */
export class BalanceError extends WattfeedError {
  static override readonly name = 'BalanceError'
  readonly code = 'balance'
  readonly retryable = false

  constructor(
    /** `account-hash-…` */
    readonly accountHash: string,
    /** Null if the chain does not know the account. */
    readonly balanceMotes: bigint | null,
    /** What everything in flight pays, including this transaction. */
    readonly neededMotes: bigint,
  ) {
    const has = balanceMotes === null ? 'is not known to the chain' : `has ${balanceMotes} motes`
    super(`${accountHash} ${has}, and what is on its way pays ${neededMotes} motes; send CSPR to the account`)
  }
}

/** A transaction in flight, from its checks to its removal from the store. */
export interface Outgoing<P extends object> {
  /** Locks: no other transaction may be in flight with one of these keys. */
  readonly keys: readonly string[]
  /** What it pays, once that is reserved; 0 before. */
  paymentMotes: bigint
  /** What the store holds of it, or may hold; null if nothing. */
  pending: Pending<P> | null
  /** Whether the store holds it for certain: before that it must not be sent. */
  isWritten: boolean
  /** Whether a call is following it. */
  isFollowed: boolean
}

/** Every transaction in flight. */
export interface InFlight<P extends object> {
  /** Begins one. @throws what `taken` creates if one with the same key is in flight. */
  begin(keys: readonly string[]): Outgoing<P>
  /** Adds one that an earlier run left. */
  add(pending: Pending<P>): void
  /** Returns what the store holds, or may hold, of those that are not settled. */
  listPending(): Pending<P>[]
  /** Returns those that no call is following, in their order, for the caller to follow. */
  resume(): { outgoing: Outgoing<P>; pending: Pending<P> }[]
  /** Ends the call's work: what is stored stays for {@link InFlight.resume}, the rest is gone. */
  release(outgoing: Outgoing<P>): void
  /** Sets a payment aside. @throws {BalanceError} unless it can be paid on top of everything else in flight. */
  reserve(outgoing: Outgoing<P>, paymentMotes: bigint): Promise<void>
}

export interface InFlightOptions<P extends object> {
  /** `account-hash-…` of the payer. */
  accountHash: string
  /** Returns its balance in motes; null if the chain does not know it. */
  getBalance: () => Promise<bigint | null>
  exclusive?: Exclusive<P> | undefined
}

/** Allows one transaction at a time for each key. */
export interface Exclusive<P extends object> {
  keysOf: (pending: Pending<P>) => readonly string[]
  /** Creates the error of a key that is taken; the hash is null until that transaction is signed. */
  taken: (key: string, transactionHash: string | null) => Error
}

/** Creates an empty set of transactions in flight. */
export function createInFlight<P extends object>(options: InFlightOptions<P>): InFlight<P> {
  const { accountHash, getBalance, exclusive } = options
  const all = new Set<Outgoing<P>>()
  /** How many transactions with a payment have finished. */
  let finished = 0

  function assertFree(key: string): void {
    const holder = [...all].find(({ keys }) => keys.includes(key))
    if (holder && exclusive) throw exclusive.taken(key, holder.pending?.transaction_hash ?? null)
  }

  return {
    begin(keys) {
      for (const key of keys) assertFree(key)
      const outgoing = { keys, paymentMotes: 0n, pending: null, isWritten: false, isFollowed: true }
      all.add(outgoing)
      return outgoing
    },
    add(pending) {
      const keys = exclusive?.keysOf(pending) ?? []
      const paymentMotes = BigInt(pending.payment_motes)
      all.add({ keys, paymentMotes, pending, isWritten: true, isFollowed: false })
    },
    listPending: () => [...all].flatMap(({ pending }) => pending ?? []),
    resume: () =>
      [...all].flatMap((outgoing) => {
        if (outgoing.isFollowed || outgoing.pending === null) return []
        outgoing.isFollowed = true
        return [{ outgoing, pending: outgoing.pending }]
      }),
    release(outgoing) {
      outgoing.isFollowed = false
      if (outgoing.pending !== null) return
      all.delete(outgoing)
      if (outgoing.paymentMotes > 0n) finished += 1
    },
    async reserve(outgoing, paymentMotes) {
      for (;;) {
        const before = finished
        const balanceMotes = await getBalance()
        // If another one was settled meanwhile, the balance may be from before it was charged.
        if (finished !== before) continue
        const neededMotes = [...all].reduce((sum, each) => sum + each.paymentMotes, paymentMotes)
        if (balanceMotes === null || balanceMotes < neededMotes)
          throw new BalanceError(accountHash, balanceMotes, neededMotes)
        outgoing.paymentMotes = paymentMotes
        return
      }
    },
  }
}
