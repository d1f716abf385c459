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
    const lazyController = (): AbortController => {
      controller ??= new AbortController()
      return controller
    }
    const stopWaiting = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    const giveUp = (reason: unknown): void => {
      stopWaiting()
      lazyController().abort(reason)
      reject(reason)
    }
    const fail = (fault: unknown): void => {
      stopWaiting()
      reject(fault)
    }
    const onAbort = (): void => giveUp(signal?.reason)
    const timer = setTimeout(() => giveUp(error()), timeoutMs)
    signal?.addEventListener('abort', onAbort)
    const time: LimitedTime = {
      get signal() {
        return lazyController().signal
      },
    }
    try {
      work(time).then((value) => {
        stopWaiting()
        resolve(value)
      }, fail)
    } catch (fault) {
      fail(fault)
    }
  })
}
