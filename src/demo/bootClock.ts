/** A clock that stands still until it is let go. */
export interface BootClock {
  now(): number
  /** From here on it tells the real time. */
  release(): void
}

/**
 * When the demo's chain begins, in epoch milliseconds. The hash of the gate's package follows from it, and the
 * recorded proof of eligibility holds for that package alone. It is long past, as a chain's time only goes forward: no
 * machine's clock should be before it.
 */
export const BOOT_TIME = Date.UTC(2021, 0, 1)

export function createBootClock(): BootClock {
  let isReleased = false
  return {
    now: () => (isReleased ? Date.now() : BOOT_TIME),
    release() {
      isReleased = true
    },
  }
}
