import { WattfeedError } from '../../errors.ts'
import type { Pending, PendingStore, Purpose } from './pendingStore.ts'

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
export interface Outgoing<P extends Purpose> {
  /** No other transaction may be in flight with one of these keys. */
  readonly keys: readonly string[]
  /** Keeps other processes from these keys. */
  readonly locks: Disposable
  /** What it pays, once that is reserved; 0 before. */
  paymentMotes: bigint
  /** What the store holds of it, or may hold; null if nothing. */
  pending: Pending<P> | null
  /** Whether the store holds it for certain: before that it must not be sent. */
  isWritten: boolean
  /** Whether a call is following it. */
  isFollowed: boolean
}

/** Every transaction in flight: those that a call of this process follows, and all others that the store holds. */
export interface InFlight<P extends Purpose> {
  /**
   * Begins one; `signed` is a transaction that is signed already, and may be stored.
   *
   * @throws what `taken` creates if one with the same key is in flight, what `lock` throws if another process has the
   * key, and what the store throws.
   */
  begin(keys: readonly string[], signed?: Pending<P>): Promise<Outgoing<P>>
  /** Returns what the store holds, or may hold, of those that are not settled. @throws what the store throws. */
  listPending(): Promise<Pending<P>[]>
  /**
   * Returns those that neither a call nor another process is following, in the store's order, for the caller to follow.
   *
   * @throws what the store throws.
   */
  resume(): Promise<{ outgoing: Outgoing<P>; pending: Pending<P> }[]>
  /** Removes a settled one from the store. If that fails it is not pending all the same. @throws what the store throws. */
  remove(outgoing: Outgoing<P>, pending: Pending<P>): Promise<void>
  /** Ends the call's work: what is stored stays for anyone's {@link InFlight.resume}, the rest is gone. */
  release(outgoing: Outgoing<P>): void
  /** Sets a payment aside. @throws {BalanceError} unless it can be paid on top of everything else in flight. */
  reserve(outgoing: Outgoing<P>, paymentMotes: bigint): Promise<void>
}

export interface InFlightOptions<P extends Purpose> {
  /** `account-hash-…` of the payer. */
  accountHash: string
  /** Returns its balance in motes; null if the chain does not know it. */
  getBalance: () => Promise<bigint | null>
  store: Pick<PendingStore<P>, 'list' | 'remove'>
  exclusive?: Exclusive<P> | undefined
}

/** Allows one transaction at a time for each key. */
export interface Exclusive<P extends Purpose> {
  keysOf: (pending: Pending<P>) => readonly string[]
  /** Creates the error of a key that is taken; null until that transaction is signed. */
  taken: (key: string, pending: Pending<P> | null) => Error
  /**
   * Keeps other processes from a key until disposed of. Without it, only one process may use the store.
   *
   * @throws a retryable `WattfeedError` if another process has the key.
   */
  lock?: (key: string) => Disposable
}

/** Creates an empty set of transactions in flight. */
export function createInFlight<P extends Purpose>(options: InFlightOptions<P>): InFlight<P> {
  const { accountHash, getBalance, store, exclusive } = options
  /** Those that a call follows, and those that are in memory only because they could not be written. */
  const all = new Set<Outgoing<P>>()
  /** Hashes of settled ones that could not be removed from the store yet. */
  const over = new Set<string>()
  /** How many transactions with a payment have finished. */
  let finished = 0

  const holderOf = (key: string): Outgoing<P> | undefined => [...all].find(({ keys }) => keys.includes(key))

  function assertFree(key: string): void {
    const holder = holderOf(key)
    if (holder && exclusive) throw exclusive.taken(key, holder.pending)
  }

  /** Hashes of what the store may hold of this process's own. */
  const ownHashes = (): Set<string> =>
    new Set([...over, ...[...all].flatMap(({ pending }) => (pending === null ? [] : hashOf(pending)))])

  async function listOthers(own = ownHashes()): Promise<Pending<P>[]> {
    const stored = await store.list(own)
    const owned = own.union(ownHashes())
    return stored.filter((pending) => !owned.has(hashOf(pending)))
  }

  function add(keys: readonly string[], pending: Pending<P> | null): Outgoing<P> {
    using locks = new DisposableStack()
    for (const key of keys) if (exclusive?.lock) locks.use(exclusive.lock(key))
    const paymentMotes = BigInt(pending?.payment_motes ?? 0)
    const isWritten = pending !== null
    const outgoing = { keys, locks: locks.move(), paymentMotes, pending, isWritten, isFollowed: true }
    all.add(outgoing)
    return outgoing
  }

  /** A process that died may have left one between its signature and its settlement. */
  function assertNoneStored(keys: readonly string[], stored: readonly Pending<P>[]): void {
    for (const pending of stored) {
      const key = exclusive?.keysOf(pending).find((each) => keys.includes(each))
      if (key !== undefined) throw exclusive?.taken(key, pending)
    }
  }

  /** Takes one over, unless a call or another process is following it. */
  function adopt(pending: Pending<P>): Outgoing<P>[] {
    const keys = exclusive?.keysOf(pending) ?? []
    if (keys.some(holderOf)) return []
    try {
      return [add(keys, pending)]
    } catch (error) {
      if (error instanceof WattfeedError && error.retryable) return []
      throw error
    }
  }

  function release(outgoing: Outgoing<P>): void {
    outgoing.isFollowed = false
    // Others do not see it, so it keeps its locks.
    if (outgoing.pending !== null && !outgoing.isWritten) return
    all.delete(outgoing)
    outgoing.locks[Symbol.dispose]()
    if (outgoing.paymentMotes > 0n) finished += 1
  }

  return {
    release,
    async begin(keys, signed) {
      for (const key of keys) assertFree(key)
      const outgoing = add(keys, null)
      try {
        const stored = await listOthers()
        const others = stored.filter((each) => each.transaction_hash !== signed?.transaction_hash)
        assertNoneStored(keys, others)
        if (signed !== undefined) {
          outgoing.pending = signed
          outgoing.paymentMotes = paymentOf(signed)
          outgoing.isWritten = others.length < stored.length
        }
        return outgoing
      } catch (error) {
        release(outgoing)
        throw error
      }
    },
    async listPending() {
      const others = await listOthers()
      return [...[...all].flatMap(({ pending }) => pending ?? []), ...others]
    },
    async resume() {
      const own = ownHashes()
      const others = await listOthers(own)
      const left = [...all].filter(({ isFollowed }) => !isFollowed)
      try {
        for (const each of left) each.isFollowed = true
        for (const pending of others) left.push(...adopt(pending))
        // Another process may have settled it between the list and the lock.
        const stored = new Set((await store.list(own)).map(hashOf))
        for (const each of left)
          if (each.isWritten && each.pending && !stored.has(hashOf(each.pending))) release(each)
      } catch (error) {
        for (const each of left) release(each)
        throw error
      }
      return left.flatMap((outgoing) =>
        outgoing.isFollowed && outgoing.pending ? [{ outgoing, pending: outgoing.pending }] : [],
      )
    },
    async remove(outgoing, pending) {
      over.add(hashOf(pending))
      outgoing.pending = null
      await store.remove(pending)
      over.delete(hashOf(pending))
    },
    async reserve(outgoing, paymentMotes) {
      for (;;) {
        const before = finished
        const balanceMotes = await getBalance()
        const stored = await listOthers()
        // If another one was settled meanwhile, the balance may be from before it was charged.
        if (finished !== before) continue
        // What another process has reserved and not written yet is not known: the balance may be promised twice, and a
        // transaction that a node refuses for its balance costs nothing.
        const others = [...[...all].map((each) => each.paymentMotes), ...stored.map(paymentOf)]
        const neededMotes = others.reduce((sum, each) => sum + each, paymentMotes)
        if (balanceMotes === null || balanceMotes < neededMotes)
          throw new BalanceError(accountHash, balanceMotes, neededMotes)
        outgoing.paymentMotes = paymentMotes
        return
      }
    },
  }
}

const hashOf = ({ transaction_hash }: Pending<Purpose>): string => transaction_hash

const paymentOf = ({ payment_motes }: Pending<Purpose>): bigint => BigInt(payment_motes)
