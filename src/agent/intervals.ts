import { DAY_MS, HOUR_MS } from '@wattfeed/base'
import { type Calendar, findCalendar, findRule, frequencies } from '@wattfeed/eia'
import { InvalidArgumentError } from 'commander'
import type { DatasetConfig, FeedConfig, SeriesConfig } from '../feeds/file/feedConfig.ts'

/** How often a value appears, in EIA's terms. */
export type Frequency = FeedConfig['frequency']

/** How often to poll a feed, in milliseconds, by its frequency. */
export type Intervals = Readonly<Record<Frequency, number>>

const MINUTE_MS = 60_000

/** Short enough to find a value soon after it appears, without burdening EIA's API. */
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

/** How often the agent polls its feeds. */
export interface Pace {
  readonly intervals: Intervals
  /** Frequencies whose interval the operator has set. It overrides EIA's calendar. @default none */
  readonly fixedFrequencies?: ReadonlySet<Frequency> | undefined
}

/** How often to poll a feed that has EIA's newest release, to find revisions. In milliseconds. */
export const SELDOM_MS = DAY_MS

/**
 * The shortest time between two readings of a dataset, in milliseconds, however short the interval of its frequency is. Each reads all
 * pages again.
 */
const MIN_DATASET_MS = 60_000

/** Returns how often a feed without a known release is polled, in milliseconds. */
export const intervalOf = ({ frequency, dataset }: Paced, { intervals }: Pace): number =>
  Math.max(intervals[frequency], dataset === undefined ? 0 : MIN_DATASET_MS)

/** The delay between a release and the first poll, in milliseconds, because EIA's API may be behind its pages. */
export const FIRST_LOOK_MS = MINUTE_MS

/** What of a feed determines its pace. */
export type Paced = Pick<FeedConfig, 'route' | 'frequency'> &
  Partial<Pick<SeriesConfig, 'facets'> & Pick<DatasetConfig, 'dataset'>>

/** Returns the calendar that a feed waits for; null if no exact release is known, so that its interval applies. */
export function awaitedCalendar(feed: Paced, fixedFrequencies: Pace['fixedFrequencies']): Calendar | null {
  const { route, frequency, facets = {} } = feed
  const released = { route, frequency, facets }
  if (fixedFrequencies?.has(frequency) || !findRule(released)?.isExact) return null
  return findCalendar(released, 0)
}

/**
 * Returns how often to poll feeds between a release and its value, in milliseconds. It is every five minutes, or less often
 * if there are so many feeds that EIA's 9,000 requests an hour would not suffice.
 */
export const soonMs = (feeds: number): number => Math.max(5 * MINUTE_MS, 2 * feeds * (HOUR_MS / 9_000))

/** Returns the longest time between two polls of a working feed, in milliseconds, without jitter. */
export const longestPauseMs = (feed: Paced, pace: Pace): number =>
  Math.max(intervalOf(feed, pace), awaitedCalendar(feed, pace.fixedFrequencies) === null ? 0 : SELDOM_MS)

/** The Gregorian calendar repeats after 400 years. */
export const DAYS_IN_400_YEARS = 146_097

/** Number of periods in 400 years, which are a whole number of weeks. */
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
 * Parses `daily=30m` and sets the interval of that frequency. The text must be one of EIA's frequencies, `=` and a whole
 * number of `s`, `m`, `h` or `d`, at most a week.
 *
 * @throws {InvalidArgumentError}
 */
export function readInterval(text: string, intervals: Partial<Intervals> = {}): Partial<Intervals> {
  const [, frequency = '', count, unit] = /^([a-z-]+)=(\d{1,6})([smhd])$/.exec(text) ?? []
  const [, unitMs] = units.find(([each]) => each === unit) ?? []
  // NaN if the text does not match.
  const intervalMs = Number(count) * (unitMs ?? Number.NaN)
  if (Object.hasOwn(defaultIntervals, frequency) && intervalMs > 0 && intervalMs <= 7 * DAY_MS)
    return { ...intervals, [frequency]: intervalMs }
  throw new InvalidArgumentError(
    `It must be one of ${Object.keys(defaultIntervals).join(', ')}, then = and a number of s, m, h or d, at most a week.`,
  )
}

/** Returns the pace with the given intervals, and the defaults for the others. */
export const paceOf = (set: Partial<Intervals>): Pace => ({
  intervals: { ...defaultIntervals, ...set },
  fixedFrequencies: new Set(frequencies.filter((each) => set[each] !== undefined)),
})

export const intervalDefaults = formatIntervals(defaultIntervals)
