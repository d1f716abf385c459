import { MIN_PAYMENT_MOTES } from '../../casper/transaction/lane.ts'
import { DAYS_IN_400_YEARS, type Frequency, periodsIn400Years } from '../intervals.ts'

/** Measures the account's charges, and how long its balance lasts. */
export interface Spending {
  charged(chargedMotes: bigint, attestations: number): void
  /**
   * Returns how many days a balance lasts at the present rate; null while the rate is unknown.
   *
   * In the first day, the rate is an estimate: the feeds' frequencies times the measured cost of an attestation. It is unknown
   * before the first attestation. Later, it is the amount charged in the last seven days.
   *
   * If charges are overdue, the rate is at least the estimate, because an account that cannot pay is not charged. They are
   * overdue after three times the mean interval between two values, and after a day at most. A balance below the cost of one
   * transaction lasts 0 days.
   */
  daysLeft(balanceMotes: bigint): number | null
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WINDOW_MS = 7 * DAY_MS
/** Charges are overdue after this many mean intervals between two values. */
const OVERDUE_INTERVALS = 3

/** @param options.frequencies of the watched feeds; `now` is in epoch milliseconds */
export function createSpending(options: {
  now: () => number
  frequencies: () => readonly Frequency[]
}): Spending {
  const { now, frequencies } = options
  const startedAt = now()
  /** Motes by the hour in which they were charged. */
  const hours = new Map<number, number>()
  let motes = 0
  let count = 0
  let chargedAt = Number.NEGATIVE_INFINITY

  function measuredADay(elapsedMs: number): number {
    const first = Math.floor((now() - WINDOW_MS) / HOUR_MS)
    for (const hour of hours.keys()) if (hour < first) hours.delete(hour)
    const sum = [...hours.values()].reduce((total, each) => total + each, 0)
    return (sum * DAY_MS) / Math.min(elapsedMs, WINDOW_MS)
  }

  const valuesADay = (): number =>
    frequencies().reduce((sum, each) => sum + periodsIn400Years[each] / DAYS_IN_400_YEARS, 0)

  const estimatedADay = (): number | null => (count === 0 ? null : (valuesADay() * motes) / count)

  const isOverdue = (): boolean =>
    now() - chargedAt >= Math.min(DAY_MS, (OVERDUE_INTERVALS * DAY_MS) / valuesADay())

  function motesADay(): number | null {
    const elapsedMs = now() - startedAt
    if (elapsedMs < DAY_MS) return estimatedADay()
    const measured = measuredADay(elapsedMs)
    return isOverdue() ? Math.max(measured, estimatedADay() ?? 0) : measured
  }

  return {
    charged(chargedMotes, attestations) {
      const hour = Math.floor(now() / HOUR_MS)
      hours.set(hour, (hours.get(hour) ?? 0) + Number(chargedMotes))
      chargedAt = now()
      motes += Number(chargedMotes)
      count += attestations
    },
    daysLeft(balanceMotes) {
      if (balanceMotes < MIN_PAYMENT_MOTES) return 0
      const aDay = motesADay()
      return aDay === null ? null : Number(balanceMotes) / aDay
    },
  }
}
