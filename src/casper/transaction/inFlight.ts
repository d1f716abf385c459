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
    /** The payments of all transactions in flight, including this one. */
    readonly neededMotes: bigint,
  ) {
    const has = balanceMotes === null ? 'is unknown on chain' : `has ${balanceMotes} motes`
    super(
      `${accountHash} ${has}, but the transactions in flight need ${neededMotes} motes; send CSPR to the account`,
    )
  }
}

/** A transaction in flight, from its checks to its removal from the store. */
export interface Outgoing<P extends Purpose> {
  /** No other transaction in flight may have one of these keys. */
  readonly keys: readonly string[]
  /** Locks the keys against other processes. */
  readonly locks: Disposable
  /** The reserved payment; 0 before it is reserved. */
  paymentMotes: bigint
  /** The entry in the store, even if writing it failed; null if there is none. */
  pending: Pending<P> | null
  /** Whether the entry was stored successfully. The transaction must not be sent before that. */
  isWritten: boolean
  /** Whether a call is following it. */
  isFollowed: boolean
}

/** All transactions in flight: those that a call of this process follows, and all others in the store. */
export interface InFlight<P extends Purpose> {
  /**
   * Adds a transaction; `signed` is one that is already signed, and may be stored.
   *
   * @throws the error of `taken` if one with the same key is in flight, the error of `lock` if another process has the
   * key, and the errors of the store.
   */
  begin(keys: readonly string[], signed?: Pending<P>): Promise<Outgoing<P>>
  /** Returns the entries of unsettled transactions that the store has or may have. @throws the errors of the store. */
  listPending(): Promise<Pending<P>[]>
  /**
   * Returns the transactions that neither a call nor another process follows, in the store's order. The caller must follow
   * them.
   *
   * @throws the errors of the store.
   */
  resume(): Promise<{ outgoing: Outgoing<P>; pending: Pending<P> }[]>
  /**
   * Removes a settled transaction from the store. It is no longer pending even if that fails.
   *
   * @throws the errors of the store.
   */
  remove(outgoing: Outgoing<P>, pending: Pending<P>): Promise<void>
  /**
   * Stops following a transaction. If it is stored, any process may {@link InFlight.resume} it; otherwise it is
   * forgotten.
   */
  release(outgoing: Outgoing<P>): void
  /** Reserves a payment. @throws {BalanceError} if the account cannot pay it on top of all others in flight. */
  reserve(outgoing: Outgoing<P>, paymentMotes: bigint): Promise<void>
}

export interface InFlightOptions<P extends Purpose> {
  /** `account-hash-…` of the payer. */
  accountHash: string
  /** Returns the account's balance in motes; null if the chain does not know the account. */
  getBalance: () => Promise<bigint | null>
  store: Pick<PendingStore<P>, 'list' | 'remove'>
  exclusive?: Exclusive<P> | undefined
}

/** Allows one transaction at a time for each key. */
export interface Exclusive<P extends Purpose> {
  keysOf: (pending: Pending<P>) => readonly string[]
  /** Creates the error of a key that is in use. `pending` is null until the other transaction is signed. */
  taken: (key: string, pending: Pending<P> | null) => Error
  /**
   * Locks a key against other processes until the lock is disposed. Without it, only one process may use the store.
   *
   * @throws a retryable `WattfeedError` if another process has the key.
   */
  lock?: (key: string) => Disposable
}

/** The state of an {@link InFlight}. */
interface State<P extends Purpose> {
  readonly options: InFlightOptions<P>
  /** Transactions that a call follows, or that exist only in memory because writing them failed. */
  readonly all: Set<Outgoing<P>>
  /** Hashes of settled transactions that could not be removed from the store yet. */
  readonly over: Set<string>
  /** Number of finished transactions with a payment. */
  finished: number
}

/** Creates an empty set of transactions in flight. */
export function createInFlight<P extends Purpose>(options: InFlightOptions<P>): InFlight<P> {
  const state: State<P> = { options, all: new Set(), over: new Set(), finished: 0 }
  return {
    begin: (keys, signed) => begin(state, keys, signed),
    async listPending() {
      const others = await listOthers(state)
      return [...[...state.all].flatMap(({ pending }) => pending ?? []), ...others]
    },
    resume: () => resume(state),
    async remove(outgoing, pending) {
      state.over.add(hashOf(pending))
      outgoing.pending = null
      await options.store.remove(pending)
      state.over.delete(hashOf(pending))
    },
    release: (outgoing) => release(state, outgoing),
    reserve: (outgoing, paymentMotes) => reserve(state, outgoing, paymentMotes),
  }
}

async function begin<P extends Purpose>(
  state: State<P>,
  keys: readonly string[],
  signed: Pending<P> | undefined,
): Promise<Outgoing<P>> {
  assertNoneInFlight(state, keys)
  const outgoing = add(state, keys, null)
  try {
    const stored = await listOthers(state)
    const others = stored.filter((each) => each.transaction_hash !== signed?.transaction_hash)
    assertNoneStored(state.options, keys, others)
    if (signed !== undefined) {
      outgoing.pending = signed
      outgoing.paymentMotes = paymentOf(signed)
      outgoing.isWritten = others.length < stored.length
    }
    return outgoing
  } catch (error) {
    release(state, outgoing)
    throw error
  }
}

async function resume<P extends Purpose>(
  state: State<P>,
): Promise<{ outgoing: Outgoing<P>; pending: Pending<P> }[]> {
  const own = ownHashes(state)
  const others = await listOthers(state, own)
  const resumed = [...state.all].filter(({ isFollowed }) => !isFollowed)
  try {
    for (const each of resumed) each.isFollowed = true
    for (const pending of others) resumed.push(...adopt(state, pending))
    // Another process may have settled it between the list and the lock.
    const stored = new Set((await state.options.store.list(own)).map(hashOf))
    for (const each of resumed)
      if (each.isWritten && each.pending && !stored.has(hashOf(each.pending))) release(state, each)
  } catch (error) {
    for (const each of resumed) release(state, each)
    throw error
  }
  return resumed.flatMap((outgoing) =>
    outgoing.isFollowed && outgoing.pending ? [{ outgoing, pending: outgoing.pending }] : [],
  )
}

/** Adopts a stored transaction, unless a call or another process is following it. */
function adopt<P extends Purpose>(state: State<P>, pending: Pending<P>): Outgoing<P>[] {
  const keys = state.options.exclusive?.keysOf(pending) ?? []
  if (keys.some((key) => holderOf(state, key))) return []
  try {
    return [add(state, keys, pending)]
  } catch (error) {
    if (error instanceof WattfeedError && error.retryable) return []
    throw error
  }
}

function release<P extends Purpose>(state: State<P>, outgoing: Outgoing<P>): void {
  outgoing.isFollowed = false
  // Other processes cannot see an entry that is not written, so it keeps its locks.
  if (outgoing.pending !== null && !outgoing.isWritten) return
  state.all.delete(outgoing)
  outgoing.locks[Symbol.dispose]()
  if (outgoing.paymentMotes > 0n) state.finished += 1
}

async function reserve<P extends Purpose>(
  state: State<P>,
  outgoing: Outgoing<P>,
  paymentMotes: bigint,
): Promise<void> {
  const { accountHash } = state.options
  const { balanceMotes, stored } = await readBalance(state)
  // Payments that another process has reserved but not written yet are unknown, so two processes may reserve the same
  // balance. That costs nothing: a node rejects a transaction that the balance does not cover, and charges nothing.
  const others = [...[...state.all].map((each) => each.paymentMotes), ...stored.map(paymentOf)]
  const neededMotes = others.reduce((sum, each) => sum + each, paymentMotes)
  if (balanceMotes === null || balanceMotes < neededMotes)
    throw new BalanceError(accountHash, balanceMotes, neededMotes)
  outgoing.paymentMotes = paymentMotes
}

/** Reads the balance, and the stored transactions that it has not paid yet. */
async function readBalance<P extends Purpose>(
  state: State<P>,
): Promise<{ balanceMotes: bigint | null; stored: Pending<P>[] }> {
  for (;;) {
    const { finished } = state
    const balanceMotes = await state.options.getBalance()
    const stored = await listOthers(state)
    // If a transaction finished meanwhile, the balance may not include its charge.
    if (state.finished === finished) return { balanceMotes, stored }
  }
}

function add<P extends Purpose>(
  { options, all }: State<P>,
  keys: readonly string[],
  pending: Pending<P> | null,
): Outgoing<P> {
  const { exclusive } = options
  using locks = new DisposableStack()
  for (const key of keys) if (exclusive?.lock) locks.use(exclusive.lock(key))
  const paymentMotes = BigInt(pending?.payment_motes ?? 0)
  const isWritten = pending !== null
  const outgoing = { keys, locks: locks.move(), paymentMotes, pending, isWritten, isFollowed: true }
  all.add(outgoing)
  return outgoing
}

const holderOf = <P extends Purpose>({ all }: State<P>, key: string): Outgoing<P> | undefined =>
  [...all].find(({ keys }) => keys.includes(key))

function assertNoneInFlight<P extends Purpose>(state: State<P>, keys: readonly string[]): void {
  const { exclusive } = state.options
  for (const key of keys) {
    const holder = holderOf(state, key)
    if (holder && exclusive) throw exclusive.taken(key, holder.pending)
  }
}

/** Checks the entries in the store, because a process may have died before its transaction was settled. */
function assertNoneStored<P extends Purpose>(
  { exclusive }: InFlightOptions<P>,
  keys: readonly string[],
  stored: readonly Pending<P>[],
): void {
  for (const pending of stored) {
    const key = exclusive?.keysOf(pending).find((each) => keys.includes(each))
    if (key !== undefined) throw exclusive?.taken(key, pending)
  }
}

/** Lists the entries in the store, except those of this process. */
async function listOthers<P extends Purpose>(state: State<P>, own = ownHashes(state)): Promise<Pending<P>[]> {
  const stored = await state.options.store.list(own)
  const owned = own.union(ownHashes(state))
  return stored.filter((pending) => !owned.has(hashOf(pending)))
}

/** Returns the hashes of this process's transactions that the store may have. */
const ownHashes = <P extends Purpose>({ all, over }: State<P>): Set<string> =>
  new Set([...over, ...[...all].flatMap(({ pending }) => (pending === null ? [] : hashOf(pending)))])

const hashOf = ({ transaction_hash }: Pending<Purpose>): string => transaction_hash

const paymentOf = ({ payment_motes }: Pending<Purpose>): bigint => BigInt(payment_motes)
