import { findCalendar, findRule, lengthOfPeriod } from '@wattfeed/eia'
import type { SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import type { Chance } from './chance.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './world.ts'

/** Three days before daylight saving time ends in America; the following year is a leap year. */
export const START_MS = Date.UTC(2027, 10, 4, 12)

/** A series of the invented EIA. */
export interface FeedKind {
  name: string
  frequency: SeriesConfig['frequency']
  lookBack: number
  /** @default a route outside the catalog, so that the calendar is that of the frequency */
  route?: string
  /** @default the series with that name */
  facets?: Record<string, string>
  isWeekdaysOnly?: boolean
  isUnitless?: boolean
  /** Whether its newest row has no number when the agent reads it for the first time. */
  beginsWithheld?: boolean
  /** The start of its first row. @default some periods before the simulation */
  from?: number
  /** The start of the first period that EIA has not published at the start of the simulation. */
  open?: number
  /** Time from the end of a period to its publication, if no calendar gives one. */
  delayMs: readonly [from: number, to: number]
}

const days = (from: number, to: number): FeedKind['delayMs'] => [from * DAY_MS, to * DAY_MS]
const soon: FeedKind['delayMs'] = [MINUTE_MS, HOUR_MS]
/** After a release at a known time. */
const atOnce: FeedKind['delayMs'] = [MINUTE_MS / 2, 20 * MINUTE_MS]

const gridDemand = { route: 'electricity/rto/region-data', facets: { respondent: 'EAST', type: 'D' } }
const fuelMix = { route: 'electricity/rto/fuel-type-data', facets: { respondent: 'EAST', fueltype: 'SUN' } }
// Some periods of the slow feeds come after the start, so that even a short simulation has them.
const months = { from: Date.UTC(2025, 0, 1), open: Date.UTC(2027, 6, 1), delayMs: days(25, 70) }
const quarters = { from: Date.UTC(2020, 0, 1), open: Date.UTC(2027, 3, 1), delayMs: days(60, 150) }
const years = { from: Date.UTC(1997, 0, 1), open: Date.UTC(2026, 0, 1), delayMs: days(250, 450) }

/** One or more series of each frequency, with and without a release at a known time, with and without `look_back`. */
export const feedKinds: readonly FeedKind[] = [
  { name: 'DEMAND.EAST', frequency: 'hourly', lookBack: 0, ...gridDemand, delayMs: soon },
  { name: 'FUEL.MIX', frequency: 'local-hourly', lookBack: 6, ...fuelMix, delayMs: soon },
  { name: 'SPOT.PRICE', frequency: 'daily', lookBack: 4, isWeekdaysOnly: true, delayMs: soon },
  { name: 'OUTAGES', frequency: 'daily', lookBack: 0, isUnitless: true, delayMs: soon },
  { name: 'STOCKS', frequency: 'weekly', lookBack: 2, route: 'petroleum/stoc/wstk', delayMs: atOnce },
  { name: 'STORAGE', frequency: 'weekly', lookBack: 0, route: 'natural-gas/stor/wkly', delayMs: atOnce },
  { name: 'RIGS', frequency: 'weekly', lookBack: 0, delayMs: days(1, 6) },
  {
    name: 'SUPPLIED',
    frequency: 'four-week-average',
    lookBack: 0,
    route: 'petroleum/cons/wpsup',
    delayMs: atOnce,
  },
  { name: 'PRODUCTION', frequency: 'monthly', lookBack: 3, ...months },
  // Shares its dataset with the feed above.
  { name: 'SALES', frequency: 'monthly', lookBack: 0, route: 'invented/production', ...months },
  { name: 'BALANCE', frequency: 'quarterly', lookBack: 2, ...quarters },
  { name: 'RESERVES', frequency: 'annual', lookBack: 0, ...years, beginsWithheld: true },
]

const FIRST_ROWS = 30
const FRIDAY_MS = Date.UTC(2027, 9, 29)

const isWeekly = ({ frequency }: Pick<FeedKind, 'frequency'>): boolean =>
  frequency === 'weekly' || frequency === 'four-week-average'

/** The start of a feed's first row. */
export function firstStart(kind: FeedKind): number {
  if (kind.from !== undefined) return kind.from
  if (isWeekly(kind)) return FRIDAY_MS - FIRST_ROWS * 7 * DAY_MS
  const length = kind.frequency === 'daily' ? DAY_MS : HOUR_MS
  return Math.floor(START_MS / length - FIRST_ROWS - 1) * length
}

/** Whether EIA has published a period with this start when the simulation starts. */
export function isHistory(kind: FeedKind, startMs: number): boolean {
  if (kind.open !== undefined) return startMs < kind.open
  return exactRelease(kind, startMs) < START_MS - 2 * HOUR_MS
}

/** The end of a period with this start; a week counts from its date. */
export function endOf({ frequency }: Pick<FeedKind, 'frequency'>, startMs: number): number {
  const length = lengthOfPeriod(frequency)
  if (length === null) throw new Error(`no frequency: ${frequency}`)
  if ('ms' in length) return startMs + (isWeekly({ frequency }) ? DAY_MS : length.ms)
  const date = new Date(startMs)
  return date.setUTCMonth(date.getUTCMonth() + length.months)
}

/** When a period with this start may be attested: weeks, days and hours from their start, longer ones after their end. */
export const attestableAt = (kind: Pick<FeedKind, 'frequency'>, startMs: number): number =>
  ['monthly', 'quarterly', 'annual'].includes(kind.frequency) ? endOf(kind, startMs) : startMs

/** The start of the next period. */
export function startAfter(kind: Pick<FeedKind, 'frequency' | 'isWeekdaysOnly'>, startMs: number): number {
  if (isWeekly(kind)) return startMs + 7 * DAY_MS
  let next = endOf(kind, startMs)
  while (kind.isWeekdaysOnly === true && [0, 6].includes(new Date(next).getUTCDay())) next += DAY_MS
  return next
}

/** When EIA publishes the period with this start, after the period before it. */
export function releaseOf(kind: FeedKind, startMs: number, { nowMs, between }: Chance & { nowMs: number }) {
  const at = exactRelease(kind, startMs) + between(...kind.delayMs)
  return kind.open === undefined ? at : Math.max(at, nowMs + between(4 * HOUR_MS, 16 * HOUR_MS))
}

/** The release time of a period by EIA's calendar, or its end if there is none. */
function exactRelease(kind: FeedKind, startMs: number): number {
  const series = { route: routeOf(kind), frequency: kind.frequency, facets: facetsOf(kind) }
  if (!findRule(series)?.isExact) return endOf(kind, startMs)
  const [first] = findCalendar(series, startMs)?.releasesAfterPeriod(startMs - 7 * DAY_MS) ?? []
  return first ?? Number.NaN
}

export const routeOf = ({ name, route }: FeedKind): string =>
  route ?? `invented/${name.toLowerCase().replaceAll('.', '-')}`

export const facetsOf = ({ name, facets }: FeedKind): Record<string, string> => facets ?? { series: name }

/** EIA's text of the period with this start. */
export function periodText(frequency: SeriesConfig['frequency'], startMs: number): string {
  const iso = new Date(startMs).toISOString()
  if (frequency === 'annual') return iso.slice(0, 4)
  if (frequency === 'quarterly') return `${iso.slice(0, 4)}-Q${(Number(iso.slice(5, 7)) + 2) / 3}`
  if (frequency === 'monthly') return iso.slice(0, 7)
  if (frequency === 'hourly') return iso.slice(0, 13)
  if (frequency !== 'local-hourly') return iso.slice(0, 10)
  const local = Temporal.Instant.fromEpochMilliseconds(startMs).toZonedDateTimeISO('America/New_York')
  return `${local.toPlainDateTime().toString().slice(0, 13)}${local.offset.slice(0, 3)}`
}
