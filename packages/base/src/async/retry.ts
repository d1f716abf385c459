import { sleep } from './sleep.ts'

export interface RetryOptions {
  attempts: number
  /** The first pause, in milliseconds. The pause doubles each time, plus up to 100 % random jitter. */
  minPauseMs: number
  maxPauseMs: number
  /** Ends the pause and prevents further attempts; the result rejects with its reason. */
  signal?: AbortSignal | undefined
  shouldRetry: (error: unknown) => boolean
  /** Extra wait before the next attempt, in milliseconds. @default 0 */
  waitMs?: (error: unknown) => number
  /** Returns a number from 0 up to 1. @default Math.random */
  random?: () => number
}

/**
 * Retries work with exponential backoff and returns its result.
 *
 * Not p-retry, because that does not support `Retry-After` and replaces an abort reason that is not an Error with a
 * TypeError.
 *
 * @throws the last error if every attempt fails.
 */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { attempts, signal, shouldRetry, waitMs = () => 0 } = options
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (attempt >= attempts || !shouldRetry(error)) throw error
      await sleep(waitMs(error) + pauseMs(attempt, options), signal)
    }
  }
}

/** Returns the pause after a number of consecutive failures, in milliseconds. */
export function pauseMs(
  failures: number,
  {
    minPauseMs,
    maxPauseMs,
    random = Math.random,
  }: Pick<RetryOptions, 'minPauseMs' | 'maxPauseMs' | 'random'>,
): number {
  return Math.min(maxPauseMs, (1 + random()) * minPauseMs * 2 ** (failures - 1))
}
