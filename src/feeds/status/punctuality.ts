import { type Calendar, startOfPeriod } from '@wattfeed/eia'
import type { Attestation } from 'wattfeed'
import { endOfFirstTransaction, type NewestValues } from './gaps.ts'

/** A planned release, and when its value came on chain. All times are epoch milliseconds. */
export interface PastRelease {
  /** The integer of the period. */
  readonly period: number
  readonly dueAt: number
  readonly attestedAt: number
  /** `attestedAt` - `dueAt`; negative if the value came before the planned release. */
  readonly delayMs: number
  /** Whether the value came before the end of the rule's grace. */
  readonly isOnTime: boolean
}

/**
 * Compares the first value of each period with its planned release, oldest attestation first.
 *
 * Only releases since the first of the values count: an older period was backfilled, and nobody could attest it in time. A
 * forecast has no releases to compare, because an edition that changes nothing is not attested.
 */
export function comparePast(calendar: Calendar, frequency: string, newest: NewestValues): PastRelease[] {
  const [first] = newest.values
  if (first === undefined || calendar.rule.isForecast) return []
  return listFirstPrints(newest).flatMap(({ period, timestamp }) => {
    const startMs = startOfPeriod(frequency, period)
    if (startMs === null) return []
    const dueAt = calendar.releaseOf(startMs)
    if (dueAt < first.timestamp) return []
    const delayMs = timestamp - dueAt
    return [{ period, dueAt, attestedAt: timestamp, delayMs, isOnTime: delayMs <= calendar.graceMs }]
  })
}

type Print = Pick<Attestation, 'period' | 'timestamp'>

/** Lists the values that are certainly the first of their period. An older value may be of any period up to the floor. */
function listFirstPrints(newest: NewestValues): Print[] {
  const floor = newest.isWhole
    ? -1
    : (endOfFirstTransaction(newest.values)?.period ?? Number.POSITIVE_INFINITY)
  const seen = new Set<number>()
  return newest.values.filter(({ period }) => {
    const isFirst = period > floor && !seen.has(period)
    seen.add(period)
    return isFirst
  })
}

/** How punctual releases were. */
export interface Punctuality {
  /** Number of releases that were compared. */
  readonly releases: number
  /** Number of those that came on time. */
  readonly onTime: number
  /** Median of their delays in milliseconds; null without releases. */
  readonly medianDelayMs: number | null
}

/** Counts the releases and those on time, and returns the median of their delays. */
export function summarize(past: readonly Pick<PastRelease, 'delayMs' | 'isOnTime'>[]): Punctuality {
  const delays = past.map(({ delayMs }) => delayMs).sort((one, other) => one - other)
  const middle = (delays.length - 1) / 2
  const [low, high] = [delays[Math.floor(middle)], delays[Math.ceil(middle)]]
  return {
    releases: past.length,
    onTime: past.filter(({ isOnTime }) => isOnTime).length,
    medianDelayMs: low === undefined || high === undefined ? null : Math.round((low + high) / 2),
  }
}
