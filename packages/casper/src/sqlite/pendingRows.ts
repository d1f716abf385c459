import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { assertOptions, parseJson } from '@wattfeed/base'
import { type StateFile, StateFileError } from '@wattfeed/base/disk'
import type { Pending, Purpose } from '../transaction/transactionStore.ts'

/** Where transactions go, and who pays for them. */
export interface Destination {
  readonly chainName: string
  /** Package hash, 64 hex digits; for commands without one, what they act on. */
  readonly contract: string
  readonly account: string
}

/** The schema of a purpose, which names its kind. */
export type PurposeSchema = TSchema & { properties: { kind: { const: string } } }

/** Options of {@link createPendingRows}. */
export interface PendingRowsOptions {
  /** A file with the `senderTables`. */
  state: StateFile
  destination: Destination
  /** Programs of other kinds may use the same destination. */
  purpose: PurposeSchema
  /** Whether this program sends the transactions, or approves those that others send. */
  role: 'send' | 'approval'
  /** Returns the keys of a transaction. */
  keysOf: (purpose: Purpose) => readonly string[]
}

/** A stored transaction, and the token of the process that follows it. */
export interface StoredPending {
  readonly pending: Pending
  readonly owner: string | null
}

/**
 * Signed transactions that a block may still include, as rows. Call each method in a database transaction, or in a read.
 *
 * The methods that read throw a `StateFileError` for a row that cannot be understood: it may belong to a transaction in flight.
 */
export interface PendingRows {
  /** Lists the transactions of a chain and contract, oldest first, of all accounts. */
  list(): StoredPending[]
  /** Returns the transaction of a key, sent or approved; null if there is none. */
  ofKey(key: string): Pending | null
  /** Adds a transaction. Returns whether it is new. @throws a constraint's error if one of its keys has another */
  insert(pending: Pending): boolean
}

const TransactionJson = Type.Object({ Version1: Type.Object({ hash: Type.String() }) })

interface Row {
  transaction_hash: string
  chain_name: string
  purpose: string
  payment_motes: string
  expires_at: number
  owner: string | null
  body: string
}

const SELECT = `SELECT pending.transaction_hash, chain_name, purpose, payment_motes, expires_at, owner, body
  FROM pending JOIN destination ON destination.id = pending.destination_id`

/**
 * Creates the rows of one role and purpose in a file of state.
 *
 * @throws {InvalidArgumentError} for an option that does not exist.
 */
export function createPendingRows(options: PendingRowsOptions): PendingRows {
  assertOptions(options, { state: 1, destination: 1, purpose: 1, role: 1, keysOf: 1 })
  const { state, destination, purpose, role, keysOf } = options
  const { database, owner, path } = state
  const kind = purpose.properties.kind.const
  const isPurpose = (value: unknown): value is Purpose => Value.Check(purpose, value)

  function parse(row: Row): Pending {
    const { chain_name, transaction_hash, expires_at, payment_motes } = row
    const [stored, transaction] = [parseJson(row.purpose), parseJson(row.body)]
    if (isPurpose(stored) && Value.Check(TransactionJson, transaction))
      if (transaction.Version1.hash === transaction_hash)
        return { chain_name, purpose: stored, transaction_hash, expires_at, payment_motes, transaction }
    throw new StateFileError({
      path,
      rule: `has the transaction ${transaction_hash} in a form that this version cannot read, and it may be in flight. Look it up; once it is executed or expired, delete its rows of the tables "pending" and "reservation"`,
    })
  }

  return {
    list: () =>
      database
        .query<Row, string[]>(
          `${SELECT} WHERE chain_name = ? AND contract = ? AND kind = ? AND role = ? ORDER BY pending.rowid`,
        )
        .all(destination.chainName, destination.contract, kind, role)
        .map((row) => ({ pending: parse(row), owner: row.owner })),
    ofKey(key) {
      const row = database
        .query<Row, [number, string]>(
          `${SELECT} JOIN pending_key USING (transaction_hash) WHERE pending_key.destination_id = ? AND key = ?`,
        )
        .get(destinationId(state, destination), key)
      return row === null ? null : parse(row)
    },
    insert(pending) {
      const { transaction_hash: hash, payment_motes, expires_at } = pending
      const id = destinationId(state, destination)
      const { changes } = database
        .query(
          `INSERT INTO pending
            (transaction_hash, destination_id, role, kind, purpose, payment_motes, expires_at, written_at, owner, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        )
        .run(
          hash,
          id,
          role,
          kind,
          JSON.stringify(pending.purpose),
          payment_motes,
          expires_at,
          Date.now(),
          owner,
          JSON.stringify(pending.transaction),
        )
      if (changes === 0) return false
      const insertKey = database.query(
        'INSERT INTO pending_key (destination_id, key, transaction_hash) VALUES (?, ?, ?)',
      )
      for (const key of keysOf(pending.purpose)) insertKey.run(id, key, hash)
      return true
    },
  }
}

/** Removes a transaction that is settled, with its keys. */
export function removePending({ database }: StateFile, transactionHash: string): void {
  database.query('DELETE FROM pending WHERE transaction_hash = ?').run(transactionHash)
}

/** Returns a destination's id, and adds it if it is new. */
export function destinationId({ database, write }: StateFile, destination: Destination): number {
  const { chainName, contract, account } = destination
  const find = database.query<{ id: number }, [string, string, string]>(
    'SELECT id FROM destination WHERE chain_name = ? AND contract = ? AND account = ?',
  )
  const known = find.get(chainName, contract, account)
  if (known !== null) return known.id
  return write(() => {
    database
      .query(
        'INSERT INTO destination (chain_name, contract, account) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      )
      .run(chainName, contract, account)
    const added = find.get(chainName, contract, account)
    if (added === null) throw new TypeError('a row was inserted and is not there')
    return added.id
  })
}
