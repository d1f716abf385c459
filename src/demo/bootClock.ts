/** A stopped clock that can be set, and later switched to the real time. */
export interface BootClock {
  now(): number
  set(timeMs: number): void
  release(): void
}

/**
 * Genesis time of the demo's chain, in epoch milliseconds. It is fixed because the gate's package hash depends on it, and
 * the recorded proof of eligibility is only valid for that package. It is in the past, because a chain's time only advances.
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
