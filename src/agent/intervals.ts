import { InvalidArgumentError } from 'commander'
import type { FeedConfig } from './feeds/feedConfig.ts'

/** EIA's word for how often a value appears. */
export type Frequency = FeedConfig['frequency']

/** How long to wait between two looks at a feed, in milliseconds, by its frequency. */
export type Intervals = Readonly<Record<Frequency, number>>

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Often enough to see a value soon after it appears, seldom enough to leave EIA's API alone. */
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

const units = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', MINUTE_MS],
  ['s', 1_000],
] as const

/** Intervals as they are given: `hourly=10m, daily=1h, …`. */
export const formatIntervals = (intervals: Intervals): string =>
  Object.entries(intervals)
    .map(([frequency, intervalMs]) => `${frequency}=${formatDuration(intervalMs)}`)
    .join(', ')

function formatDuration(durationMs: number): string {
  const [unit, unitMs] = units.find(([, each]) => durationMs % each === 0) ?? ['s', 1_000]
  return `${durationMs / unitMs}${unit}`
}

/**
 * Reads `daily=30m` and puts it in place of what `intervals` says of that frequency; null where the text is
 * none: a frequency of EIA's, then `=`, then a whole number of `s`, `m`, `h` or `d`, a week at most.
 */
export function parseInterval(text: string, intervals: Intervals): Intervals | null {
  const [, frequency = '', count, unit] = /^([a-z-]+)=(\d{1,6})([smhd])$/.exec(text) ?? []
  const unitMs = units.find(([each]) => each === unit)?.[1]
  if (!Object.hasOwn(intervals, frequency) || unitMs === undefined) return null
  const intervalMs = Number(count) * unitMs
  return intervalMs > 0 && intervalMs <= 7 * DAY_MS ? { ...intervals, [frequency]: intervalMs } : null
}

/** Reads `--interval daily=30m`, which can be given several times. */
export function readInterval(text: string, intervals: Intervals = defaultIntervals): Intervals {
  const changed = parseInterval(text, intervals)
  if (changed !== null) return changed
  throw new InvalidArgumentError(
    `It must be one of ${Object.keys(intervals).join(', ')}, then = and a number of s, m, h or d, a week at most.`,
  )
}

/** The intervals unless they are changed, as they are given. */
export const intervalDefaults = formatIntervals(defaultIntervals)
