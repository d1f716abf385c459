import {
  isAhead,
  isOfOtherRegistries,
  lastEventOf,
  MAX_POSITION_WAIT_MS,
  type Reached,
  resetReason,
} from 'wattfeed/internal'
import { formatPosition, type Position, type ResetReason } from 'wattfeed/live'
import { defineHttpError } from '../http/httpError.ts'
import { type Follower, type ReadStreamEvent, type SetTimer, StreamsStoppedError } from './follower.ts'

const StreamAheadError = defineHttpError(
  'StreamAheadError',
  'stream_ahead',
  (facts: { position: string; reached: string }) =>
    `position ${facts.position} is ahead of this server, which is at ${facts.reached}; retry later, or omit the position if the chain was replaced`,
  { status: 503, retryable: true },
)

interface Parts {
  readonly follower: Follower
  readonly read: ReadStreamEvent
  readonly schedule: SetTimer
}

/** Returns why a stream cannot resume after a position; null if it can. */
export async function reasonToReset(
  asked: Position,
  hasLeft: () => boolean,
  parts: Parts,
): Promise<ResetReason | null> {
  if (isOfOtherRegistries((await parts.follower.reachedNow()).view, asked)) return 'registry'
  const { view } = await reach(asked, hasLeft, parts)
  const last = lastEventOf(asked)
  // The event may be in the cache, which saves a call.
  if (last !== null && (await parts.read(view, last.log, last.index)).digest === asked.lastEvent) return null
  return resetReason(view, asked)
}

/** Waits until this server reaches the position. @throws {StreamAheadError} when that takes too long. */
async function reach(
  asked: Position,
  hasLeft: () => boolean,
  { follower, schedule }: Parts,
): Promise<Reached> {
  let reached = await follower.reachedNow()
  if (!isAhead(asked, reached.position)) return reached
  let isTimeUp = false
  schedule(() => {
    isTimeUp = true
  }, MAX_POSITION_WAIT_MS)
  while (isAhead(asked, reached.position)) {
    if (isTimeUp || hasLeft())
      throw new StreamAheadError({
        position: formatPosition(asked),
        reached: formatPosition(reached.position),
      })
    reached = await follower.nextRead().catch((error) => {
      // Any other error is a node's, and the follower reads again.
      if (error instanceof StreamsStoppedError) throw error
      return follower.reached()
    })
  }
  return reached
}
