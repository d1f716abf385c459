import type { AbortSignalLike } from './webTypes.ts'

export interface TimeLimit {
  timeoutMs: number
  /** What the wait ends with when time is up. */
  error: () => Error
  /** Ends the wait too, with its reason. */
  signal?: AbortSignalLike | undefined
}

/**
 * Waits for work until time is up or the signal is aborted; the work itself goes on, for whoever else waits for it. It is
 * not begun where the signal is aborted already.
 *
 * The timer is cleared when the work is done: `AbortSignal.timeout` keeps one for every finished call until its time is up.
 *
 * @throws what the limit's `error` makes, or the signal's reason.
 */
export async function waitFor<T>(
  begin: () => Promise<T>,
  { timeoutMs, error, signal }: TimeLimit,
  onEnd: (reason: unknown) => void = () => {},
): Promise<T> {
  if (signal?.aborted) throw signal.reason
  let stop = (): void => {}
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: unknown): void => {
      onEnd(reason)
      reject(reason)
    }
    const abort = (): void => end(signal?.reason)
    const timer = setTimeout(() => end(error()), timeoutMs)
    signal?.addEventListener('abort', abort)
    stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  })
  try {
    return await Promise.race([begin(), ended])
  } finally {
    stop()
  }
}

/** Gives work a signal that is aborted when the wait for it ends early. A `fetch` that was passed in need not heed it. */
export function limitTime<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  return waitFor(
    () => work(controller.signal),
    limit,
    (reason) => controller.abort(reason),
  )
}
