import { DeadlineError } from '../casper/rpcErrors.ts'

/** How long to wait. */
export interface Wait {
  deadlineMs: number
  /** What a `DeadlineError` tells of the nodes. */
  trouble: () => string | null
  signal?: AbortSignal | undefined
}

/**
 * Waits for shared work until time is up or the signal is aborted; the work itself goes on, for whoever asks next.
 *
 * @throws {DeadlineError} that tells the newest failure; or the signal's reason.
 */
export async function withDeadline<T>(work: Promise<T>, { deadlineMs, trouble, signal }: Wait): Promise<T> {
  let stop = (): void => {}
  const stopped = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new DeadlineError(deadlineMs, trouble())), deadlineMs)
    const abort = () => reject(signal?.reason)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  })
  try {
    return await Promise.race([stopped, work])
  } finally {
    stop()
  }
}
