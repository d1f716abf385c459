import type { AbortSignalLike } from './webTypes.ts'

export interface TimeLimit {
  timeoutMs: number
  error: () => Error
  /** Rejects early with its reason. */
  signal?: AbortSignalLike | undefined
}

export interface LimitedTime {
  /** Aborts on a timeout or an abort by the caller. Created on first access, because most work never needs it. */
  readonly signal: AbortSignalLike
}

/**
 * Runs work with a time limit. On a timeout or an abort, rejects and aborts the signal that the work received. Work that
 * ignores its signal keeps running for other callers. If the signal is already aborted, the work does not start.
 *
 * Clears the timer when the work ends. `AbortSignal.timeout` would keep one timer per finished call until it fires.
 *
 * @throws `error()` on a timeout, or the signal's reason.
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
