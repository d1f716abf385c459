import { DAY_MS } from '@wattfeed/base'
import { type EiaRow, parsePeriodStart, type ReleasedSeries } from '@wattfeed/eia'
import type { SeriesConfig } from '../../feeds/file/feedConfig.ts'
import { findReleases } from './releases.ts'
import { digitsOf } from './revised.ts'
import { wholeDepth } from './wholeDatasets.ts'

/** An invented row, in EIA's format. */
export type InventedRow = Pick<EiaRow, 'period'> & { readonly value: string }

/** Number of periods before the newest that are invented, by frequency. */
const depths: Readonly<Record<string, number>> = {
  hourly: 96,
  'local-hourly': 96,
  daily: 61,
  weekly: 78,
  'four-week-average': 78,
  monthly: 36,
  quarterly: 12,
  annual: 10,
}

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
export const MAX_DIGITS = 6

type InventedFeed = Pick<SeriesConfig, 'feed_id' | 'route' | 'frequency' | 'facets'>

/** Lists the periods of a feed before its newest that are attested in the demo, newest first. */
export const listPast = (feed: ReleasedSeries, newest: string): string[] =>
  findReleases(feed, newest).listBefore(newest, depths[feed.frequency] ?? 0)

/** Lists the periods before the newest that have rows in the demo, newest first. Those of a whole dataset are more. */
export const listPastRows = (series: ReleasedSeries, newest: string): string[] =>
  findReleases(series, newest).listBefore(newest, wholeDepth(series) ?? depths[series.frequency] ?? 0)

/**
 * Invents rows before and between the known ones, by a seasonal random walk back from the newest. It reverts to the oldest
 * known value. So a newer row does not change those before the others.
 *
 * @param known newest first; rows without a numeric value stay unchanged
 * @param randomOf creates the generator of a period: uniform in [0, 1)
 */
export function inventPast(
  feed: InventedFeed,
  known: readonly EiaRow[],
  randomOf: (period: string) => () => number,
): InventedRow[] {
  const { feed_id, frequency } = feed
  const walk = walks.find(([pattern]) => pattern.test(feed_id))?.[1] ?? anyWalk
  const values = new Map(known.map(({ period, value }) => [period, value]))
  const [newest] = known
  if (newest === undefined) return []
  const baseOf = (period: string, value: string): number =>
    Number(value) / seasonOf(walk, frequency, parsePeriodStart(frequency, period))
  const bases = known.flatMap(({ period, value }) => (isPositive(value) ? [baseOf(period, value)] : []))
  const usual = bases.at(-1) ?? Number.NaN
  const digits = Math.min(MAX_DIGITS, Math.max(...known.map(({ value }) => digitsOf(value))))
  const invented: InventedRow[] = []
  let base = bases[0] ?? usual
  for (const period of listPastRows(feed, newest.period)) {
    const value = values.get(period)
    if (isPositive(value)) base = baseOf(period, value)
    if (value !== undefined) continue
    base = usual * Math.exp(PERSISTENCE * Math.log(base / usual) + walk.volatility * normal(randomOf(period)))
    invented.push({
      period,
      value: (base * seasonOf(walk, frequency, parsePeriodStart(frequency, period))).toFixed(digits),
    })
  }
  return invented
}

/** Returns whether a value is a number that a walk can scale. EIA also has texts such as `w`, withheld. */
const isPositive = (value: string | null | undefined): value is string => Number(value ?? Number.NaN) > 0

/** Returns an approximately normal number with mean 0 and standard deviation 1. */
const normal = (random: () => number): number => 2 * (random() + random() + random()) - 3

function seasonOf({ season = 0, peak = 0 }: Walk, frequency: string, startMs: number): number {
  const cycleMs = frequency === 'hourly' ? DAY_MS : 365.25 * DAY_MS
  return 1 + season * Math.cos(2 * Math.PI * (startMs / cycleMs - peak))
}
