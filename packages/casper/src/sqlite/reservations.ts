import type { StateFile } from '@wattfeed/base/disk'
import type { Balance } from '../transaction/transactionStore.ts'
import type { Destination } from './pendingRows.ts'

/** Payments that a balance may not include yet. Call each method in a database transaction. */
export interface Reservations {
  /** Returns the sum of the account's reservations that a balance may not include, and forgets the others. */
  sum(balance: Pick<Balance, 'height' | 'time'>): bigint
  /** Reserves a payment in motes for a claim. */
  add(claim: string, paymentMotes: bigint): void
  /** Ties a claim's payment to its signed transaction. */
  sign(claim: string, transactionHash: string, paymentMotes: string): void
  /** Frees the payment of a transaction: at once if it was never executed, else with a later balance. */
  settle(transactionHash: string, block: { readonly height: number; readonly before: number } | null): void
  /** Frees the payment of a claim that has no transaction. */
  cancel(claim: string): void
}

/** Returns the reservations of an account in a file with the `senderTables`. */
export function createReservations(
  { database, owner, holderOf }: StateFile,
  { chainName, account }: Pick<Destination, 'chainName' | 'account'>,
): Reservations {
  const insert = (claim: string, motes: string, hash: string | null) =>
    database
      .query(
        `INSERT INTO reservation (claim, chain_name, account, payment_motes, owner, transaction_hash)
          VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(claim, chainName, account, motes, owner, hash)
  const cancel = (claim: string): void =>
    void database.query('DELETE FROM reservation WHERE claim = ? AND transaction_hash IS NULL').run(claim)
  return {
    sum({ height, time }) {
      // A lower block that is later than the expiry belongs to another chain, such as a restarted development chain.
      database
        .query(
          `DELETE FROM reservation WHERE chain_name = ? AND account = ?
            AND settled_height IS NOT NULL AND (settled_height <= ? OR settled_before < ?)`,
        )
        .run(chainName, account, height, time)
      const rows = database
        .query<
          { claim: string; payment_motes: string; owner: string; transaction_hash: string | null },
          string[]
        >(
          'SELECT claim, payment_motes, owner, transaction_hash FROM reservation WHERE chain_name = ? AND account = ?',
        )
        .all(chainName, account)
      let sum = 0n
      for (const row of rows) {
        // Its process ended before it signed.
        if (row.transaction_hash === null && row.owner !== owner && holderOf(row.owner) === null)
          cancel(row.claim)
        else sum += BigInt(row.payment_motes)
      }
      return sum
    },
    add: (claim, paymentMotes) => void insert(claim, paymentMotes.toString(), null),
    sign(claim, hash, paymentMotes) {
      const { changes } = database
        .query('UPDATE reservation SET transaction_hash = ?, payment_motes = ? WHERE claim = ?')
        .run(hash, paymentMotes, claim)
      if (changes === 0) insert(claim, paymentMotes, hash)
    },
    settle(hash, block) {
      if (block === null) database.query('DELETE FROM reservation WHERE transaction_hash = ?').run(hash)
      else
        database
          .query('UPDATE reservation SET settled_height = ?, settled_before = ? WHERE transaction_hash = ?')
          .run(block.height, block.before, hash)
    },
    cancel,
  }
}
