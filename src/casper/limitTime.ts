export interface TimeLimit {
  timeoutMs: number
  /** What the work's signal is aborted with when time is up. */
  error: () => Error
  /** Aborts the work too. */
  signal?: AbortSignal | undefined
}

/**
 * Gives work a signal that aborts after a while, and clears the timer when the work is done: unlike
 * `AbortSignal.timeout`, which keeps one for every finished call until its time is up.
 */
export async function limitTime<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { timeoutMs, error, signal } = limit
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  const timer = setTimeout(() => controller.abort(error()), timeoutMs)
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason))
  })
  try {
    // A `fetch` that was passed in need not heed the signal.
    return await Promise.race([work(controller.signal), aborted])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
