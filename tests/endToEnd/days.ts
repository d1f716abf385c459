/** Returns a new day on each call, later than the one before, in EIA's format. Tests may run in any order. */
export function createDays(): { next(): string } {
  const DAY_MS = 86_400_000
  let time = Date.UTC(2027, 0, 1)
  return {
    next() {
      time += DAY_MS
      return new Date(time).toISOString().slice(0, 10)
    },
  }
}
