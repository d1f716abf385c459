import type { AbortSignalLike } from './webTypes.ts'

export interface TimeLimit {
  timeoutMs: number
  /** What the wait ends with when time is up. */
  error: () => Error
  /** Ends the wait too, with its reason. */
  signal?: AbortSignalLike | undefined
}

/** The time that work has. */
export interface LimitedTime {
  /** Aborted when the wait ends early. Made when it is first asked for: most work of a busy server never does. */
  readonly signal: AbortSignalLike
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
  work: (time: LimitedTime) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw signal.reason
  let controller: AbortController | null = null
  const open = (): AbortController => {
    controller ??= new AbortController()
    limited.add(controller.signal)
    return controller
  }
  let stop = (): void => {}
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: unknown): void => {
      open().abort(reason)
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
  const time: LimitedTime = {
    get signal() {
      return open().signal
    },
  }
  try {
    return await Promise.race([work(time), ended])
  } finally {
    stop()
  }
}
