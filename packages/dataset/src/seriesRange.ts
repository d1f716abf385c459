import { type DatasetSeries, formatSeries } from './leaf.ts'

/** Some values of a series: those of the periods between two bounds, or the first of these in an order. */
export interface SeriesRange extends DatasetSeries {
  /** The first period, as EIA's text; null for no bound. */
  readonly period_from: string | null
  /** The last period, as EIA's text; null for no bound. */
  readonly period_to: string | null
  /** Which values are the first: `asc` for the oldest, `desc` for the newest. Without a limit, it says nothing. */
  readonly order: 'asc' | 'desc'
  /** The largest number of values; null for all. */
  readonly limit: number | null
}

/** Formats a range for people: `petroleum/pri/spt daily value series=RWTC from 2026-11-02, the newest 10`. */
export function formatRange(range: SeriesRange): string {
  const { period_from: from, period_to: to, order, limit } = range
  return [
    formatSeries(range),
    ...(from === null ? [] : [` from ${from}`]),
    ...(to === null ? [] : [` to ${to}`]),
    ...(limit === null ? [] : [`, the ${order === 'asc' ? 'oldest' : 'newest'} ${limit}`]),
  ].join('')
}
