import { DAY_MS, HOUR_MS } from '@wattfeed/base'
import { MIN_PAYMENT_MOTES } from '@wattfeed/casper/transaction'
import { DAYS_IN_400_YEARS, type Frequency, periodsIn400Years } from '../intervals.ts'

const WINDOW_MS = 7 * DAY_MS
/** Charges are overdue after this many mean intervals between two values. */
const OVERDUE_INTERVALS = 3

/** Measures the account's charges, and how long its balance lasts. */
export class Spending {
  readonly #startedAt: number
  readonly #now: () => number
  readonly #frequencies: () => readonly Frequency[]
  /** Motes by the hour in which they were charged. */
  readonly #hours = new Map<number, number>()
  #motes = 0
  #count = 0
  #chargedAt = Number.NEGATIVE_INFINITY

  /**
   * @param now milliseconds of a monotonic clock
   * @param frequencies of the watched feeds
   */
  constructor(now: () => number, frequencies: () => readonly Frequency[]) {
    this.#startedAt = now()
    this.#now = now
    this.#frequencies = frequencies
  }

  charged(chargedMotes: bigint, attestations: number): void {
    const hour = Math.floor(this.#now() / HOUR_MS)
    this.#hours.set(hour, (this.#hours.get(hour) ?? 0) + Number(chargedMotes))
    this.#chargedAt = this.#now()
    this.#motes += Number(chargedMotes)
    this.#count += attestations
  }

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
  daysLeft(balanceMotes: bigint): number | null {
    if (balanceMotes < MIN_PAYMENT_MOTES) return 0
    const aDay = this.#motesADay()
    return aDay === null ? null : Number(balanceMotes) / aDay
  }

  #motesADay(): number | null {
    const valuesADay = this.#frequencies().reduce(
      (sum, each) => sum + periodsIn400Years[each] / DAYS_IN_400_YEARS,
      0,
    )
    const estimated = this.#count === 0 ? null : (valuesADay * this.#motes) / this.#count
    const elapsedMs = this.#now() - this.#startedAt
    if (elapsedMs < DAY_MS) return estimated
    const measured = this.#measuredADay(elapsedMs)
    const overdueMs = Math.min(DAY_MS, (OVERDUE_INTERVALS * DAY_MS) / valuesADay)
    return this.#now() - this.#chargedAt >= overdueMs ? Math.max(measured, estimated ?? 0) : measured
  }

  #measuredADay(elapsedMs: number): number {
    const first = Math.floor((this.#now() - WINDOW_MS) / HOUR_MS)
    for (const hour of this.#hours.keys()) if (hour < first) this.#hours.delete(hour)
    const sum = [...this.#hours.values()].reduce((total, each) => total + each, 0)
    return (sum * DAY_MS) / Math.min(elapsedMs, WINDOW_MS)
  }
}
