import type { AbortSignalLike } from './webTypes.ts'

export interface TimeLimit {
  timeoutMs: number
  /** Creates the error thrown when time is up. */
  error: () => Error
  /** Ends the wait early, with its reason. */
  signal?: AbortSignalLike | undefined
}

export interface LimitedTime {
  /** Aborted when the wait ends early. Created on first access: most work on a busy server never needs it. */
  readonly signal: AbortSignalLike
}

/**
 * Waits for work until time is up or the signal aborts, then aborts the work's own signal. Work that ignores it keeps
 * running for its other callers. Does not start the work if the signal is already aborted.
 *
 * Clears its timer when the work is done; `AbortSignal.timeout` would keep one per finished call until it fires.
 *
 * @throws the limit's `error`, or the signal's reason.
 */
export function limitTime<T>(
  { timeoutMs, error, signal }: TimeLimit,
  work: (time: LimitedTime) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) return Promise.reject(signal.reason)
  return new Promise<T>((resolve, reject) => {
    let controller: AbortController | null = null
    const open = (): AbortController => {
      controller ??= new AbortController()
      return controller
    }
    const end = (reason: unknown): void => {
      stop()
      open().abort(reason)
      reject(reason)
    }
    const abort = (): void => end(signal?.reason)
    const timer = setTimeout(() => end(error()), timeoutMs)
    const stop = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    signal?.addEventListener('abort', abort)
    const time: LimitedTime = {
      get signal() {
        return open().signal
      },
    }
    const fail = (fault: unknown): void => {
      stop()
      reject(fault)
    }
    try {
      work(time).then((value) => {
        stop()
        resolve(value)
      }, fail)
    } catch (fault) {
      fail(fault)
    }
  })
}
