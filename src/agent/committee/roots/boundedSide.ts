import { defineError } from '@wattfeed/base'
import { DifferenceTooLargeError, type Side } from '@wattfeed/dataset/compare'
import { MAX_DIFFERING } from '../../datasets/compareWithOther.ts'

/** Bytes of another member's leaves. So many leaves of EIA have less than half. Invented ones may have 41 MB, and ten times that in memory. */
const MAX_BYTES = 4_000_000

/** Another member takes too long to answer for its snapshot. Its next answers may come in time. */
export const SlowMemberError = defineError(
  'SlowMemberError',
  'slow_member',
  (facts: {
    /** What the snapshot is called: `member north`. */
    other: string
    limitMs: number
  }) => `the snapshot of ${facts.other} took longer than ${facts.limitMs / 1_000} s; it is tried again later`,
  { retryable: true },
)

/**
 * Returns the side of another member that gets no further request once it may not continue, or has sent too much.
 *
 * @param assertGoesOn throws if it may not
 */
export function boundedSide(side: Side, assertGoesOn: () => void): Side {
  let left = MAX_BYTES
  return {
    ...side,
    async digestsOf(level, runs) {
      assertGoesOn()
      return side.digestsOf(level, runs)
    },
    async leavesOf(indices) {
      assertGoesOn()
      const bytes = await side.leavesOf(indices)
      left -= bytes.length
      if (left < 0) throw new DifferenceTooLargeError({ max: MAX_DIFFERING })
      return bytes
    },
  }
}
