import { type Calendar, findCalendar } from '../eia/calendar.ts'
import { formatPeriod, lengthOfPeriod, periodAt, startOfPeriod } from '../eia/period.ts'
import type { RequestedRows, UpstreamDataset, UpstreamRow } from './answerEia.ts'
import { type FacetsOfSeries, INVENTED_UNIT, seriesOfDataset } from './catalogDatasets.ts'

/**
 * Invents the rows of all requested series: the newest periods that EIA would have released. The rows of a series and
 * period are always the same.
 *
 * @param now epoch milliseconds
 *
 * @example
 * ```ts
 * const facets = { stateid: ['TX'], sectorid: ['RES'] }
 * inventRows(retailSales, { frequency: 'monthly', facets }, Date.now()) // 36 rows
 * ```
 */
export function inventRows(
  dataset: UpstreamDataset,
  { frequency, facets }: RequestedRows,
  now: number,
): UpstreamRow[] {
  const columns = Object.keys(dataset.metadata.response.data)
  const periods = listStarts(dataset.route, frequency, now).map((startMs) => ({
    startMs,
    period: periodText(frequency, startMs),
  }))
  return seriesOfDataset(dataset, facets).flatMap((series) => {
    const template = templateOf(dataset, series)
    const name = `${dataset.route} ${Object.values(series).join(' ')}`
    const values = columns.map(
      (column) => [column, inventSeries(`${name} ${column}`, template[column] ?? '', frequency)] as const,
    )
    const constant = { ...describe(dataset, series), ...unitsOf(columns, series, template) }
    return periods.map(({ startMs, period }) => ({
      period,
      ...constant,
      ...Object.fromEntries(values.map(([column, valueAt]) => [column, valueAt(startMs)])),
    }))
  })
}

/** The facets of a series, with the names of their values. */
const describe = ({ facets }: UpstreamDataset, series: FacetsOfSeries): UpstreamRow =>
  Object.fromEntries(
    Object.entries(series).flatMap(([id, value]) => {
      const name = facets[id]?.response.facets.find((each) => each.id === value)?.name ?? null
      return [
        [id, value],
        [`${id}-name`, name],
      ]
    }),
  )

/** The recorded row that has the most facet values of a series. Its numbers set the magnitude. */
function templateOf({ data }: UpstreamDataset, series: FacetsOfSeries): UpstreamRow {
  const likeness = (row: UpstreamRow): number =>
    Object.entries(series).filter(([id, value]) => row[id] === value).length
  const [best = {}] = data.response.data.toSorted((a, b) => likeness(b) - likeness(a))
  return best
}

/** The units of the columns, in the fields of the template. */
function unitsOf(columns: readonly string[], series: FacetsOfSeries, template: UpstreamRow): UpstreamRow {
  // In some datasets `unit` is a facet.
  if ('unit' in series) return {}
  if (template.unit !== undefined) return { unit: template.unit }
  if ('series' in series) return { units: template.units ?? INVENTED_UNIT }
  return Object.fromEntries(
    columns.map((column) => [`${column}-units`, template[`${column}-units`] ?? INVENTED_UNIT]),
  )
}

/**
 * Invents a column of a series: values near the template's, with its decimals. A season and two waves differ by name.
 *
 * @returns the value of the period that starts at a moment
 */
function inventSeries(name: string, template: string, frequency: string): (startMs: number) => string {
  const isKnown = Number(template) > 0
  const digits = isKnown ? Math.min(MAX_DIGITS, template.split('.')[1]?.length ?? 0) : 2
  const level = (isKnown ? Number(template) : UNKNOWN_VALUE) * (0.8 + 0.4 * part(name))
  const wave = (amplitude: number, lengthMs: number): ((startMs: number) => number) => {
    const phase = part(`${name} ${amplitude}`)
    return (startMs) => amplitude * Math.sin(2 * Math.PI * (startMs / lengthMs + phase))
  }
  const periodMs = lengthMs(frequency)
  const season = wave(0.05, frequency.endsWith('hourly') ? DAY_MS : YEAR_MS)
  const waves = [season, wave(0.03, 19 * periodMs), wave(0.015, 7 * periodMs)]
  return (startMs) => {
    const noise = 0.01 * (part(`${name} ${startMs}`) - 0.5)
    return (level * waves.reduce((sum, at) => sum + at(startMs), 1 + noise)).toFixed(digits)
  }
}

const UNKNOWN_VALUE = 100
const MAX_DIGITS = 6
const DAY_MS = 86_400_000
const YEAR_MS = 365.25 * DAY_MS

/** Returns a number from 0 to 1 that depends on a text only. */
const part = (text: string): number => Bun.hash.murmur32v3(text) / 2 ** 32

/** The usual length of a frequency's periods. */
function lengthMs(frequency: string): number {
  const length = lengthOfPeriod(frequency) ?? { ms: DAY_MS }
  return 'ms' in length ? length.ms : (length.months * YEAR_MS) / 12
}

/** Number of periods, by frequency. */
const depths: Readonly<Record<string, number>> = {
  hourly: 96,
  'local-hourly': 96,
  daily: 61,
  weekly: 78,
  'four-week-average': 78,
  monthly: 36,
  quarterly: 16,
  annual: 10,
}

/** Any Friday: EIA's weeks usually end on one. */
const FRIDAY = Date.UTC(2026, 10, 13)

/** Returns the starts of the newest periods, newest first. */
function listStarts(route: string, frequency: string, now: number): number[] {
  const calendar = findCalendar({ route, frequency }, FRIDAY)
  const newest = calendar && startOfPeriod(frequency, calendar.dueAt(now).expectedPeriod)
  if (newest === null) return []
  const starts = Array.from({ length: depths[frequency] ?? 0 }, (_, back) => earlier(frequency, newest, back))
  return starts.filter((startMs) => !isDayOff(calendar, startMs))
}

/** Markets have no prices on weekends. */
const isDayOff = (calendar: Calendar | null, startMs: number): boolean =>
  calendar?.rule.isWeekdaysOnly === true && new Date(startMs).getUTCDay() % 6 === 0

function earlier(frequency: string, startMs: number, back: number): number {
  const length = lengthOfPeriod(frequency) ?? { ms: DAY_MS }
  if ('ms' in length) return startMs - back * length.ms
  const date = new Date(startMs)
  return date.setUTCMonth(date.getUTCMonth() - back * length.months)
}

const OFFSET = '-05'

/** Formats a period like EIA; local hours are those of New York in winter. */
function periodText(frequency: string, startMs: number): string {
  if (frequency === 'local-hourly')
    return new Date(startMs + Number(OFFSET) * 3_600_000).toISOString().slice(0, 13) + OFFSET
  return formatPeriod(frequency, periodAt(frequency, startMs) ?? Number.NaN) ?? ''
}
