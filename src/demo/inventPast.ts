import type { FeedConfig } from '../agent/feeds/feedConfig.ts'
import { periodStart } from '../eia/period.ts'
import type { EiaRow } from '../eia/series.ts'

/** An invented row, in EIA's format. */
export type InventedRow = Pick<EiaRow, 'period'> & { readonly value: string }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Number of invented periods, by frequency. */
const depths: Readonly<Record<string, number>> = {
  hourly: 96,
  daily: 61,
  weekly: 78,
  monthly: 36,
  annual: 10,
}

/** Parameters of a series' random walk. */
interface Walk {
  /** Standard deviation of the relative change per period. */
  readonly volatility: number
  /** Relative amplitude of the cycle: a day for hourly values, otherwise a year. */
  readonly season?: number
  /** Position of the maximum in the cycle, from 0 to 1. @default 0: January 1 or midnight */
  readonly peak?: number
}

/** Walks by pattern of the feed's id; the first match applies. */
const walks: readonly (readonly [RegExp, Walk])[] = [
  [/HENRYHUB/, { volatility: 0.03, season: 0.12 }],
  [/\.STEO\./, { volatility: 0.005, season: 0.02, peak: 0.5 }],
  [/RETAIL\.PRICE/, { volatility: 0.004, season: 0.03, peak: 0.6 }],
  [/PRICE.*DAILY/, { volatility: 0.015 }],
  [/PRICE/, { volatility: 0.01, season: 0.03, peak: 0.5 }],
  [/STORAGE/, { volatility: 0.008, season: 0.3, peak: 0.86 }],
  [/NG\.CONS/, { volatility: 0.015, season: 0.22, peak: 0.05 }],
  [/ELEC\..*HOURLY/, { volatility: 0.01, season: 0.12, peak: 0.92 }],
  [/RETAIL\.(SALES|REVENUE)/, { volatility: 0.012, season: 0.1, peak: 0.57 }],
  [/CUSTOMERS/, { volatility: 0.0004 }],
  [/OUTAGE\.US_CAPACITY/, { volatility: 0.0002 }],
  [/OUTAGE/, { volatility: 0.12 }],
  [/ANNUAL/, { volatility: 0.03 }],
]
const anyWalk: Walk = { volatility: 0.015, season: 0.04, peak: 0.05 }

/** Fraction of the distance from the usual value that remains after a period. */
const PERSISTENCE = 0.97
const MAX_DIGITS = 6

/**
 * Invents rows before and between the known ones, by a seasonal random walk back from the newest. It reverts to the oldest
 * known value. So a newer row does not change those before the others.
 *
 * @param known newest first; rows without a numeric value stay unchanged
 * @param randomOf creates the generator of a period: uniform in [0, 1)
 */
export function inventPast(
  { feed_id, frequency }: Pick<FeedConfig, 'feed_id' | 'frequency'>,
  known: readonly EiaRow[],
  randomOf: (period: string) => () => number,
): InventedRow[] {
  const walk = walks.find(([pattern]) => pattern.test(feed_id))?.[1] ?? anyWalk
  const values = new Map(known.map(({ period, value }) => [period, value]))
  const [newest] = known
  if (newest === undefined) return []
  const baseOf = (period: string, value: string): number =>
    Number(value) / seasonOf(walk, frequency, periodStart(frequency, period))
  const bases = known.flatMap(({ period, value }) => (isNumber(value) ? [baseOf(period, value)] : []))
  const usual = bases.at(-1) ?? Number.NaN
  const digits = Math.min(MAX_DIGITS, digitsOf(newest.value))
  const invented: InventedRow[] = []
  let base = bases[0] ?? usual
  for (const startMs of startsBefore(frequency, newest.period, feed_id)) {
    const period = periodText(frequency, startMs)
    const value = values.get(period)
    if (isNumber(value)) base = baseOf(period, value)
    if (value !== undefined) continue
    base = usual * Math.exp(PERSISTENCE * Math.log(base / usual) + walk.volatility * normal(randomOf(period)))
    invented.push({ period, value: (base * seasonOf(walk, frequency, startMs)).toFixed(digits) })
  }
  return invented
}

const isNumber = (value: string | null | undefined): value is string => Number(value ?? 'w') > 0

const digitsOf = (value: string | null): number => value?.split('.')[1]?.length ?? 0

/** Returns an approximately normal number with mean 0 and standard deviation 1. */
const normal = (random: () => number): number => 2 * (random() + random() + random()) - 3

function seasonOf({ season = 0, peak = 0 }: Walk, frequency: string, startMs: number): number {
  const cycleMs = frequency === 'hourly' ? DAY_MS : 365.25 * DAY_MS
  return 1 + season * Math.cos(2 * Math.PI * (startMs / cycleMs - peak))
}

/** Returns the start of each earlier period, newest first. Markets have no prices on weekends. */
function startsBefore(frequency: string, period: string, feedId: string): number[] {
  const starts: number[] = []
  const date = new Date(periodStart(frequency, period))
  const isMarket = frequency === 'daily' && feedId.includes('.PRICE.')
  for (let back = depths[frequency] ?? 0; back > 0; back--) {
    if (frequency === 'annual') date.setUTCFullYear(date.getUTCFullYear() - 1)
    else if (frequency === 'monthly') date.setUTCMonth(date.getUTCMonth() - 1)
    else date.setTime(date.getTime() - (lengthsMs[frequency] ?? DAY_MS))
    if (!(isMarket && date.getUTCDay() % 6 === 0)) starts.push(date.getTime())
  }
  return starts
}

const lengthsMs: Readonly<Record<string, number>> = { hourly: HOUR_MS, daily: DAY_MS, weekly: 7 * DAY_MS }

const textLengths: Readonly<Record<string, number>> = { annual: 4, monthly: 7, hourly: 13 }

/** Formats a period like EIA. */
const periodText = (frequency: string, startMs: number): string =>
  new Date(startMs).toISOString().slice(0, textLengths[frequency] ?? 10)
