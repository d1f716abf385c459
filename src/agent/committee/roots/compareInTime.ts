import { compareSides, type LeafDifference, type Side } from '@wattfeed/dataset/compare'
import { MAX_DIFFERING } from '../../datasets/compareWithOther.ts'
import { LATE, withPatience } from '../../send/patience.ts'
import { boundedSide, SlowMemberError } from './boundedSide.ts'
import { LOOK_MS } from './memberRoots.ts'

export interface CompareOptions {
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly stop: AbortSignal
}

/**
 * Lists how the snapshot of another member differs from one that is here. The comparison as a whole has a limit, because a member could
 * answer each of some hundred requests just in time. After it, or when the agent stops, the member gets no further request.
 *
 * @throws {SlowMemberError}
 * @throws {DifferenceTooLargeError} if more than 10,000 leaves of a snapshot differ, or the other ones have too many bytes.
 * @throws the errors of `compareSides`, and the reason of an abort.
 */
export async function compareInTime(
  own: Side,
  other: Side,
  { wait, stop }: CompareOptions,
): Promise<readonly LeafDifference[]> {
  const ended = new AbortController()
  const limits = { maxListed: MAX_DIFFERING, maxDiffering: MAX_DIFFERING }
  const aborted = AbortSignal.any([stop, ended.signal])
  const bounded = boundedSide(other, () => aborted.throwIfAborted())
  const comparing = compareSides(own, bounded, limits)
  const waitOrStop = (ms: number, signal: AbortSignal) => wait(ms, AbortSignal.any([stop, signal]))
  try {
    const compared = await withPatience(comparing, { patienceMs: LOOK_MS, wait: waitOrStop })
    if (compared === LATE) throw new SlowMemberError({ other: other.name, limitMs: LOOK_MS })
    return compared.first
  } finally {
    ended.abort()
  }
}
