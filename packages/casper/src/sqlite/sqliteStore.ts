import { assertOptions, type OptionNames } from '@wattfeed/base'
import type { LockHolder, StateFile } from '@wattfeed/base/disk'
import type { Settled } from '../transaction/settlement.ts'
import {
  BalanceError,
  type Claim,
  type Pending,
  type Purpose,
  type TransactionStore,
} from '../transaction/transactionStore.ts'
import { createHolds, type Holds, otherHolder } from './holds.ts'
import {
  createPendingRows,
  type Destination,
  type PendingRows,
  type PurposeSchema,
  removePending,
  type StoredPending,
} from './pendingRows.ts'
import { pendingTransactions } from './pendingTransactions.ts'
import { createReservations, type Reservations } from './reservations.ts'

/** Options of {@link createSqliteStore}. */
export interface SqliteStoreOptions {
  /** A file with the `senderTables`. */
  state: StateFile
  destination: Destination
  /** The store has the transactions of this kind. */
  purpose: PurposeSchema
  /** Returns the keys of a transaction. @default none */
  keysOf?: (purpose: Purpose) => readonly string[]
  /** Creates the error of a key that is in use. */
  taken?: (key: string, use: KeyUse) => Error
  /** Records what is about to be sent, in the database transaction that stores it. */
  recordWritten?: (pending: Pending) => void
  /** Records the outcome, in the database transaction that removes the settled transaction. */
  recordSettled?: (pending: Pending, settled: Settled) => void
}

const optionNames: OptionNames<SqliteStoreOptions> = {
  state: 1,
  destination: 1,
  purpose: 1,
  keysOf: 1,
  taken: 1,
  recordWritten: 1,
  recordSettled: 1,
}

/** Who uses a key. Both are null while this process checks the chain for another transaction. */
export interface KeyUse {
  readonly pending: Pending | null
  /** Another process. */
  readonly holder: LockHolder | null
}

/** A store whose calls need not be awaited, and whose keys can be held for longer than a transaction. */
export interface SqliteStore extends TransactionStore {
  claim(keys: readonly string[]): Claim
  reserve(...args: Parameters<TransactionStore['reserve']>): void
  write(claim: Claim, pending: Pending): void
  settle(claim: Claim, pending: Pending, settled: Settled): void
  release(claim: Claim): void
  adopt(): readonly { readonly claim: Claim; readonly pending: Pending }[]
  /** Lists the stored transactions, oldest first. */
  list(): readonly Pending[]
  /**
   * Keeps a key from other processes until disposed of. This process may claim it.
   *
   * @throws the error that the option `taken` creates, if another process works on the key
   */
  hold(key: string): Disposable
  /** @throws the error that the option `taken` creates, if another process works on the key, or it has a transaction of this store. */
  assertFree(key: string): void
}

/**
 * Creates a store in a file of state, which other processes of this machine may share. Its methods throw a `StateFileError`
 * if the file cannot be used.
 *
 * The file keeps the transactions of all programs that share it. `purpose` is the TypeBox schema of this program's: its `kind`, and
 * what the program needs to record the outcome.
 *
 * @example
 * ```ts
 * import { Type } from '@sinclair/typebox'
 * import { createSqliteStore, openStateFile, senderTables } from '@wattfeed/casper/sqlite'
 *
 * using state = openStateFile('state/sent.db', { applicationId: 7, migrations: [senderTables] })
 * const store = createSqliteStore({
 *   state,
 *   destination: { chainName: 'casper-test', contract: '00'.repeat(32), account: `account-hash-${'00'.repeat(32)}` },
 *   purpose: Type.Object({ kind: Type.Literal('transfer') }),
 * })
 * console.log(store.list()) // []
 * ```
 *
 * @throws {InvalidArgumentError} for an option that does not exist.
 */
export function createSqliteStore(options: SqliteStoreOptions): SqliteStore {
  assertOptions(options, optionNames)
  const { state, destination, purpose, keysOf = () => [] } = options
  const parts: Parts = {
    options,
    keysOf,
    rows: createPendingRows({ state, destination, purpose, role: 'send', keysOf }),
    reservations: createReservations(state, destination),
    holds: createHolds(state, destination),
    claims: new Map(),
  }
  return {
    claim: (keys) => claim(parts, keys),
    reserve({ id }, paymentMotes, balance) {
      state.write(() => {
        const reservedMotes = parts.reservations.sum(balance)
        const neededMotes = reservedMotes + paymentMotes
        if (balance.motes === null || balance.motes < neededMotes)
          throw new BalanceError({
            accountHash: destination.account,
            balanceMotes: balance.motes,
            neededMotes,
            reservedMotes,
          })
        parts.reservations.add(id, paymentMotes)
      })
    },
    write: (claimed, pending) => write(parts, claimed, pending),
    settle: (claimed, pending, settled) => settle(parts, claimed, pending, settled),
    release: (claimed) => release(parts, claimed),
    adopt: () => adopt(parts),
    list: () => state.read(() => parts.rows.list().map(({ pending }) => pending)),
    hold: (key) => hold(parts, key),
    assertFree: (key) =>
      state.read(() => {
        assertNotHeld(parts, key)
        const stored = parts.rows.list().find(({ pending }) => keysOf(pending.purpose).includes(key))
        if (stored !== undefined) throw taken(parts, key, { pending: stored.pending, holder: null })
      }),
  }
}

interface Parts {
  readonly options: SqliteStoreOptions
  readonly keysOf: (purpose: Purpose) => readonly string[]
  readonly rows: PendingRows
  readonly reservations: Reservations
  readonly holds: Holds
  /** The claims of this process, and the hash of the transaction that each has stored. */
  readonly claims: Map<Claim, string | null>
}

const taken = ({ options }: Parts, key: string, use: KeyUse): Error =>
  options.taken?.(key, use) ?? new Error(`${key} has a transaction in flight`)

function assertNotHeld(parts: Parts, key: string): void {
  const { options, rows } = parts
  const holder = otherHolder(options.state, options.destination, key)
  if (holder !== null) throw taken(parts, key, { pending: rows.ofKey(key), holder })
}

function claim(parts: Parts, keys: readonly string[]): Claim {
  const { options, rows, holds, claims } = parts
  const claimed: Claim = { id: crypto.randomUUID(), keys }
  if (keys.length > 0)
    options.state.write(() => {
      for (const key of keys) {
        assertNotHeld(parts, key)
        const pending = rows.ofKey(key)
        if (pending !== null || [...claims.keys()].some((each) => each.keys.includes(key)))
          throw taken(parts, key, { pending, holder: null })
      }
      holds.write(keys)
    })
  holds.count(keys)
  claims.set(claimed, null)
  return claimed
}

function write({ options, rows, reservations, claims }: Parts, claimed: Claim, pending: Pending): void {
  const { state, recordWritten } = options
  const { transaction_hash: hash, payment_motes } = pending
  state.write(() => {
    if (rows.insert(pending)) reservations.sign(claimed.id, hash, payment_motes)
    else setOwner(state, hash, state.owner)
    recordWritten?.(pending)
  })
  claims.set(claimed, hash)
  pendingTransactions.set(hash, state.path)
}

function settle(
  { options, reservations, holds, claims }: Parts,
  claimed: Claim,
  pending: Pending,
  settled: Settled,
): void {
  const { state, recordSettled } = options
  const { transaction_hash: hash, expires_at: before } = pending
  const { executed } = settled
  claims.delete(claimed)
  pendingTransactions.delete(hash)
  const free = holds.uncount(claimed.keys)
  const error = state.writeLater(() => {
    removePending(state, hash)
    reservations.settle(hash, executed && { height: executed.blockHeight, before })
    holds.remove(free)
    recordSettled?.(pending, settled)
  })
  if (error !== null) throw error
}

function release({ options: { state }, reservations, holds, claims }: Parts, claimed: Claim): void {
  const hash = claims.get(claimed)
  // It is settled.
  if (hash === undefined) return
  claims.delete(claimed)
  const free = holds.uncount(claimed.keys)
  state.writeLater(() => {
    holds.remove(free)
    reservations.cancel(claimed.id)
    if (hash !== null) setOwner(state, hash, null)
  })
}

function adopt(parts: Parts): ReturnType<SqliteStore['adopt']> {
  const { options, keysOf, rows, holds, claims } = parts
  const { state, destination } = options
  const followed = new Set(claims.values())
  const isLeft = ({ pending, owner }: StoredPending): boolean =>
    !followed.has(pending.transaction_hash) &&
    (owner === null || owner === state.owner || state.holderOf(owner) === null) &&
    keysOf(pending.purpose).every((key) => otherHolder(state, destination, key) === null)
  // The usual case writes nothing.
  if (!state.read(rows.list).some(isLeft)) return []
  const adopted = state.write(() => {
    const left = rows.list().filter(isLeft)
    for (const { pending } of left) {
      setOwner(state, pending.transaction_hash, state.owner)
      holds.write(keysOf(pending.purpose))
    }
    return left
  })
  return adopted.map(({ pending }) => {
    const claimed: Claim = { id: crypto.randomUUID(), keys: keysOf(pending.purpose) }
    holds.count(claimed.keys)
    claims.set(claimed, pending.transaction_hash)
    pendingTransactions.set(pending.transaction_hash, state.path)
    return { claim: claimed, pending }
  })
}

function hold(parts: Parts, key: string): Disposable {
  const { options, holds } = parts
  options.state.write(() => {
    assertNotHeld(parts, key)
    holds.write([key])
  })
  holds.count([key])
  const resources = new DisposableStack()
  resources.defer(() => {
    const free = holds.uncount([key])
    options.state.writeLater(() => holds.remove(free))
  })
  return resources
}

function setOwner({ database }: StateFile, transactionHash: string, owner: string | null): void {
  database.query('UPDATE pending SET owner = ? WHERE transaction_hash = ?').run(owner, transactionHash)
}
