import type { AbortSignalLike } from './webTypes.ts'

export interface TimeLimit {
  timeoutMs: number
  /** What the wait ends with when time is up. */
  error: () => Error
  /** Ends the wait too, with its reason. */
  signal?: AbortSignalLike | undefined
}

const limited = new WeakSet<AbortSignalLike>()

/** Whether the signal is one that {@link limitTime} has handed out: what heeds it needs no time limit of its own. */
export const isLimited = (signal: AbortSignalLike): boolean => limited.has(signal)

/**
 * Waits for work until time is up or the signal is aborted; then the signal that the work got is aborted too. Work that
 * does not heed it goes on, for whoever else waits for it. It is not begun where the signal is aborted already.
 *
 * The timer is cleared when the work is done: `AbortSignal.timeout` keeps one for every finished call until its time is up.
 *
 * @throws what the limit's `error` makes, or the signal's reason.
 */
export async function limitTime<T>(
  { timeoutMs, error, signal }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw signal.reason
  const controller = new AbortController()
  limited.add(controller.signal)
  const abort = (): void => controller.abort(signal?.reason)
  const timer = setTimeout(() => controller.abort(error()), timeoutMs)
  signal?.addEventListener('abort', abort)
  try {
    return await Promise.race([work(controller.signal), aborted(controller.signal)])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}
