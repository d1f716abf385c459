import { isDatasetFeedId, isRoot } from '@wattfeed/dataset'
import type { Attestation } from '../registry/attestation.ts'

/** An attestation and its place in the feed's history. */
export interface Vintage extends Attestation {
  /** Index in the order of attestation, from 0. */
  readonly index: number
  /**
   * 0 for the first print of a period; 1 more for each different amount after it, or each different root of a dataset. Repeating it
   * does not count.
   */
  readonly revision: number
}

/** The fields by which revisions are counted. */
export type Print = Pick<Attestation, 'period' | 'amount' | 'source_hash'>

/** Returns whether two prints of a feed's period say the same: the amount, and for the feed of a dataset also the root. */
export const isSamePrint = (
  feedId: string,
  one: Omit<Print, 'period'>,
  other: Omit<Print, 'period'>,
): boolean => one.amount === other.amount && rootOf(feedId, one) === rootOf(feedId, other)

/** The root that a value of a dataset's feed attests: its amount is only how many values there are. Empty for another feed. */
const rootOf = (feedId: string, { source_hash }: Pick<Print, 'source_hash'>): string =>
  isDatasetFeedId(feedId) && isRoot(source_hash) ? source_hash : ''

/**
 * Creates a function that returns the revision of each attestation of a feed; call it in their order. It stores the newest
 * print of each period, as a number if that is exact, to save memory.
 */
export function createRevisionCounter(feedId: string): (value: Print) => number {
  const prints = new Map<number, number | bigint | string>()
  const revisions = new Map<number, number>()
  return (value) => {
    const { period, amount } = value
    const root = rootOf(feedId, value)
    const short = amount <= Number.MAX_SAFE_INTEGER ? Number(amount) : amount
    const print = root === '' ? short : `${amount} ${root}`
    const before = prints.get(period)
    const known = revisions.get(period) ?? 0
    if (before === print) return known
    prints.set(period, print)
    if (before === undefined) return 0
    revisions.set(period, known + 1)
    return known + 1
  }
}
