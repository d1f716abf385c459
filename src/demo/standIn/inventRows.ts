import { DAY_MS } from '@wattfeed/base'
import { lengthOfPeriod, parsePeriodStart, type ReleasedSeries } from '@wattfeed/eia'
import {
  findNameMembers,
  type RequestedRows,
  type UpstreamDataset,
  type UpstreamRow,
} from '@wattfeed/eia/internal'
import { INVENTED_UNIT } from './catalogDatasets.ts'
import { listPastRows, MAX_DIGITS } from './inventPast.ts'
import { fractionOf } from './random.ts'
import { findReleases, periodText } from './releases.ts'
import { digitsOf } from './revised.ts'
import { type FacetsOfSeries, seriesOfDataset } from './seriesOfDataset.ts'

/**
 * Invents the rows of all requested series: the newest periods that EIA would have released. The rows of a series and
 * period are always the same.
 *
 * @param now epoch milliseconds
 */
export function inventRows(
  dataset: UpstreamDataset,
  { frequency, facets }: RequestedRows,
  now: number,
): UpstreamRow[] {
  const columns = Object.keys(dataset.metadata.response.data)
  const periods = listPeriods({ route: dataset.route, frequency }, now).map((period) => ({
    startMs: parsePeriodStart(frequency, period),
    period,
  }))
  return seriesOfDataset(dataset, facets).flatMap((series) => {
    const template = templateOf(dataset, series)
    const name = `${dataset.route} ${Object.values(series).join(' ')}`
    const values = columns.map(
      (column) => [column, inventSeries(`${name} ${column}`, template[column] ?? '', frequency)] as const,
    )
    const described = describe(dataset, series, template)
    const units = unitsOf(columns, series, template)
    return periods.map(({ startMs, period }) => ({
      period,
      ...described,
      ...Object.fromEntries(values.map(([column, valueAt]) => [column, valueAt(startMs)])),
      ...units,
    }))
  })
}

/** The facets of a series, with the names of their values: in the members of the recorded row, if it has some. */
function describe({ facets }: UpstreamDataset, series: FacetsOfSeries, recorded: UpstreamRow): UpstreamRow {
  const members = Object.keys(recorded)
  const described = Object.entries(series).flatMap(([id, value]) => {
    const name = facets[id]?.response.facets.find((each) => each.id === value)?.name ?? null
    const [member = `${id}-name`] = findNameMembers(id, members)
    return [[id, value] as const, [member, name] as const]
  })
  return Object.fromEntries(described)
}

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
  const digits = isKnown ? Math.min(MAX_DIGITS, digitsOf(template)) : 2
  // The figures of the waves look lifelike in a chart; nothing depends on them. Their lengths in periods share no divisor.
  const level = (isKnown ? Number(template) : UNKNOWN_VALUE) * (0.8 + 0.4 * fractionOf(name))
  const wave = (amplitude: number, lengthMs: number): ((startMs: number) => number) => {
    const phase = fractionOf(`${name} ${amplitude}`)
    return (startMs) => amplitude * Math.sin(2 * Math.PI * (startMs / lengthMs + phase))
  }
  const periodMs = lengthMs(frequency)
  const season = wave(0.05, frequency.endsWith('hourly') ? DAY_MS : YEAR_MS)
  const waves = [season, wave(0.03, 19 * periodMs), wave(0.015, 7 * periodMs)]
  return (startMs) => {
    const noise = 0.01 * (fractionOf(`${name} ${startMs}`) - 0.5)
    return (level * waves.reduce((sum, at) => sum + at(startMs), 1 + noise)).toFixed(digits)
  }
}

/** The level of a column without a recorded number. */
const UNKNOWN_VALUE = 100
const YEAR_MS = 365.25 * DAY_MS

/** The usual length of a frequency's periods. */
function lengthMs(frequency: string): number {
  const length = lengthOfPeriod(frequency) ?? { ms: DAY_MS }
  return 'ms' in length ? length.ms : (length.months * YEAR_MS) / 12
}

/** Starts of any periods: EIA's weeks usually end on a Friday, and local hours are those of New York in winter. */
const FRIDAY = Date.UTC(2026, 10, 13)
const JANUARY = Date.UTC(2026, 0)
const LOCAL_HOUR = '2026-11-13T00-05'

/** Lists the periods of a dataset's series that EIA would have released, newest first. */
function listPeriods(series: ReleasedSeries, now: number): string[] {
  const { frequency } = series
  const isOfMonths = 'months' in (lengthOfPeriod(frequency) ?? {})
  const known = periodText(frequency, isOfMonths ? JANUARY : FRIDAY, LOCAL_HOUR)
  const newest = findReleases(series, known).newestAt(now)
  return [newest, ...listPastRows(series, newest)]
}
