/** A clock that stands still where it is put until it is released. */
export interface BootClock {
  now(): number
  /** Moves it, in epoch milliseconds. */
  set(timeMs: number): void
  /** Switches to the real time. */
  release(): void
}

/**
 * Genesis time of the demo's chain, in epoch milliseconds. The gate's package hash depends on it, and the recorded proof
 * of eligibility holds for that package alone. A chain's time only goes forward, so it lies before any machine's clock.
 */
export const BOOT_TIME = Date.UTC(2021, 0, 1)

export function createBootClock(): BootClock {
  let stoppedAt: number | null = BOOT_TIME
  return {
    now: () => stoppedAt ?? Date.now(),
    set(timeMs) {
      stoppedAt = timeMs
    },
    release() {
      stoppedAt = null
    },
  }
}
