import { sleep } from './sleep.ts'

export interface RetryOptions {
  /** How often to try at most. */
  attempts: number
  /** The first pause, in milliseconds; each one after it is twice as long. All are up to twice that, at random. */
  shortestPauseMs: number
  longestPauseMs: number
  /** Ends the tries and the pauses with its reason. */
  signal: AbortSignal
  shouldRetry: (error: unknown) => boolean
  /** What to wait beside the pause, in milliseconds. @default nothing */
  waitMs?: (error: unknown) => number
  /** From 0 up to 1. @default Math.random */
  random?: () => number
}

/**
 * Tries some work until it succeeds, with growing pauses, and throws its last error where it does not.
 *
 * Ours because it is a kilobyte smaller in the browser bundle than the common library, which the bound on the
 * bundle's size has no room for.
 */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { attempts, signal, shouldRetry, waitMs = () => 0 } = options
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (attempt >= attempts || !shouldRetry(error)) throw error
      await sleep(waitMs(error) + pauseMs(attempt, options), signal)
    }
  }
}

function pauseMs(attempt: number, { shortestPauseMs, longestPauseMs, random = Math.random }: RetryOptions) {
  return Math.min(longestPauseMs, (1 + random()) * shortestPauseMs * 2 ** (attempt - 1))
}
