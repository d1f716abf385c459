import { InvalidArgumentError } from 'commander'
import type { FeedConfig } from './feeds/feedConfig.ts'

/** EIA's word for how often a value appears. */
export type Frequency = FeedConfig['frequency']

/** How often to poll a feed, in milliseconds, by its frequency. */
export type Intervals = Readonly<Record<Frequency, number>>

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Often enough to see a value soon after it appears, without burdening EIA's API. */
export const defaultIntervals: Intervals = {
  hourly: 10 * MINUTE_MS,
  'local-hourly': 10 * MINUTE_MS,
  daily: HOUR_MS,
  weekly: 6 * HOUR_MS,
  'four-week-average': 6 * HOUR_MS,
  monthly: 6 * HOUR_MS,
  quarterly: 6 * HOUR_MS,
  annual: DAY_MS,
}

export const DAYS_IN_400_YEARS = 146_097

/** How many periods a feed has in 400 years, which are a whole number of weeks. */
export const periodsIn400Years: Readonly<Record<Frequency, number>> = {
  hourly: 24 * DAYS_IN_400_YEARS,
  'local-hourly': 24 * DAYS_IN_400_YEARS,
  daily: DAYS_IN_400_YEARS,
  weekly: DAYS_IN_400_YEARS / 7,
  'four-week-average': DAYS_IN_400_YEARS / 7,
  monthly: 4_800,
  quarterly: 1_600,
  annual: 400,
}

const units = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', MINUTE_MS],
  ['s', 1_000],
] as const

/** Formats intervals as on the command line: `hourly=10m, daily=1h, …`. */
export const formatIntervals = (intervals: Intervals): string =>
  Object.entries(intervals)
    .map(([frequency, intervalMs]) => `${frequency}=${formatDuration(intervalMs)}`)
    .join(', ')

function formatDuration(durationMs: number): string {
  const [unit, unitMs] = units.find(([, each]) => durationMs % each === 0) ?? ['s', 1_000]
  return `${durationMs / unitMs}${unit}`
}

/**
 * Parses `daily=30m` and replaces the interval of that frequency; null if the text is not one of EIA's frequencies, `=`
 * and a whole number of `s`, `m`, `h` or `d`, at most a week.
 */
export function parseInterval(text: string, intervals: Intervals): Intervals | null {
  const [, frequency = '', count, unit] = /^([a-z-]+)=(\d{1,6})([smhd])$/.exec(text) ?? []
  const unitMs = units.find(([each]) => each === unit)?.[1]
  if (!Object.hasOwn(intervals, frequency) || unitMs === undefined) return null
  const intervalMs = Number(count) * unitMs
  return intervalMs > 0 && intervalMs <= 7 * DAY_MS ? { ...intervals, [frequency]: intervalMs } : null
}

/** Parses `--interval daily=30m`, which can be repeated. */
export function readInterval(text: string, intervals: Intervals = defaultIntervals): Intervals {
  const changed = parseInterval(text, intervals)
  if (changed !== null) return changed
  throw new InvalidArgumentError(
    `It must be one of ${Object.keys(intervals).join(', ')}, then = and a number of s, m, h or d, a week at most.`,
  )
}

/** The default intervals, as on the command line. */
export const intervalDefaults = formatIntervals(defaultIntervals)
