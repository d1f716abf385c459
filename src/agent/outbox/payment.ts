import { MIN_PAYMENT_MOTES } from '../../casper/transaction/lane.ts'

/** What `attest` pays: the network's least. */
export const ATTEST_PAYMENT_MOTES = MIN_PAYMENT_MOTES

/** What `attest_many` pays: the most that the lane with room for 80 transactions a block takes. */
export const ATTEST_MANY_PAYMENT_MOTES = 5_000_000_000n

/** What a transaction with so many attestations pays, in motes; `override` is `PAYMENT_MOTES`, or null. */
export const paymentOf = (count: number, override: bigint | null): bigint =>
  override ?? (count === 1 ? ATTEST_PAYMENT_MOTES : ATTEST_MANY_PAYMENT_MOTES)
