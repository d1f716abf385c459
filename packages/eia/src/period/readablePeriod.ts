/** Integers of days have eight digits. Those of hours are epoch seconds, which have more since 1973. */
const MAX_DAY = 99_991_231

/**
 * Formats the integer of a period for people, without its frequency: an hour as EIA's date of it in UTC, other periods as they are.
 *
 * @example
 * ```ts
 * readablePeriod(1794783600) // '2026-11-15T23:00Z'
 * readablePeriod(20261113) // '20261113'
 * ```
 */
export function readablePeriod(period: number): string {
  const date = new Date(period * 1_000)
  if (period <= MAX_DAY || Number.isNaN(date.getTime())) return String(period)
  return `${date.toISOString().slice(0, -8)}Z`
}
