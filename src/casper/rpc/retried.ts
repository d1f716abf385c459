import { retry } from '../../async/retry.ts'
import type { AbortSignalLike } from '../../async/webTypes.ts'
import { isRetryable, isWrongAnswer, retryAfterMs } from './rpcErrors.ts'

// Enough for 140 calls in a row to succeed on a node that fails three in ten; about 2 s in all.
const MAX_ROUNDS = 10
// A wrong answer repeats if it is what the chain holds, or if the node lies.
const MAX_WRONG_ROUNDS = 4

/** Pauses before all nodes are asked again. */
export interface BackOff {
  minPauseMs: number
  maxPauseMs: number
}

export interface RetriedOptions {
  backOff: BackOff
  /** Waiting beyond the deadline is pointless. */
  deadlineMs: number
  signal: AbortSignalLike
}

/** Layer: asks all nodes again, with growing pauses, until one round succeeds. */
export function retried<T>(
  round: () => Promise<T>,
  { backOff, deadlineMs, signal }: RetriedOptions,
): Promise<T> {
  let wrong = 0
  return retry(round, {
    ...backOff,
    attempts: MAX_ROUNDS,
    signal,
    shouldRetry(error) {
      if (isWrongAnswer(error)) wrong += 1
      return isRetryable(error) && (retryAfterMs(error) ?? 0) < deadlineMs && wrong < MAX_WRONG_ROUNDS
    },
    waitMs: (error) => retryAfterMs(error) ?? 0,
  })
}
