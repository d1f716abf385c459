import type { Attestation } from '../registry/attestation.ts'

/** An attestation and its place in the feed's history. */
export interface Vintage extends Attestation {
  /** Index in the order of attestation, from 0. */
  readonly index: number
  /** 0 for the first print of a period; 1 more for each different amount after it. Repeating an amount does not count. */
  readonly revision: number
}

/**
 * Creates a function that returns the revision of each attestation of a feed; call it in their order. It stores the newest
 * amount of each period, as a number if that is exact, to save memory.
 */
export function createRevisionCounter(): (period: number, amount: bigint) => number {
  const amounts = new Map<number, number | bigint>()
  const revisions = new Map<number, number>()
  return (period, amount) => {
    const short = amount <= Number.MAX_SAFE_INTEGER ? Number(amount) : amount
    const before = amounts.get(period)
    const known = revisions.get(period) ?? 0
    if (before === short) return known
    amounts.set(period, short)
    if (before === undefined) return 0
    revisions.set(period, known + 1)
    return known + 1
  }
}
