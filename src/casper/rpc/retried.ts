import { retry } from '../../async/retry.ts'
import type { AbortSignalLike } from '../../async/webTypes.ts'
import { isRetryable, isWrongAnswer, retryAfterMs } from './rpcErrors.ts'

// Enough for 140 consecutive calls to succeed on a node that fails three calls in ten. The pauses take about 2 s.
const MAX_ROUNDS = 10
// A wrong answer repeats if the data on chain is malformed, or if the node lies.
const MAX_WRONG_ROUNDS = 4

/** Pauses between rounds of calls to all nodes. */
export interface BackOff {
  minPauseMs: number
  maxPauseMs: number
}

export interface RetriedOptions {
  backOff: BackOff
  /** A longer `Retry-After` is not waited for. */
  deadlineMs: number
  signal: AbortSignalLike
}

/** Layer: calls all nodes again, with growing pauses, until one round succeeds. */
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
