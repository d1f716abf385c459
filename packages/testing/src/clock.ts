import { jest } from 'bun:test'

/**
 * Lets a test control time: timers, timeouts and `Date.now` stand still until {@link elapse}.
 *
 * @example
 * ```ts
 * using _ = stopClock()
 * ```
 */
export function stopClock(): Disposable {
  jest.useFakeTimers()
  return {
    [Symbol.dispose]() {
      jest.useRealTimers()
    },
  }
}

/** Runs everything that does not wait for a timer. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Lets time pass in small steps, so that a timer set by another timer fires too. */
export async function elapse(
  durationMs: number,
  stepMs = Math.max(1, Math.ceil(durationMs / 100)),
): Promise<void> {
  await settle()
  for (let passed = 0; passed < durationMs; passed += stepMs) {
    jest.advanceTimersByTime(Math.min(stepMs, durationMs - passed))
    await settle()
  }
}
