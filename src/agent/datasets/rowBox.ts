import type { LeafKey } from '@wattfeed/dataset'
import { lengthOfPeriod, parsePeriodStart } from '@wattfeed/eia'

/** A row of EIA that is asked for. */
export interface WantedRow {
  readonly period: string
  /** In the order of the ids of all facets. */
  readonly facets: readonly (string | null)[]
  /** The keys that are asked for: one for each column of interest. */
  readonly keys: readonly LeafKey[]
}

/** Rows that one request asks for: those with any of the values of each facet, from the first period to the last. At least one. */
export type RowBox = readonly WantedRow[]

/** What a request for a box says: what EIA answers has the rows of the box, and others. */
export interface BoxQuery {
  readonly start: string
  readonly end: string
  readonly values: Readonly<Record<string, readonly string[]>>
}

/** Names a row by what is unique to it. */
export const nameOfRow = ({ period, facets }: Pick<WantedRow, 'period' | 'facets'>): string =>
  JSON.stringify([period, ...facets])

/**
 * Divides rows into those that lack the same facets, fewest first. EIA's API cannot select rows that lack one, so their requests leave it
 * open.
 */
export function boxesOf(rows: readonly WantedRow[]): RowBox[] {
  const lacking = ({ facets }: WantedRow) => facets.map((value) => (value === null ? 1 : 0)).join('')
  const boxes = Map.groupBy(rows, lacking)
  const count = (pattern: string) => pattern.replaceAll('0', '').length
  return [...boxes].sort(([one], [other]) => count(one) - count(other)).map(([, box]) => box)
}

/**
 * Returns what is asked for a box. A list of values that would make the URL too long is left out, the longest first.
 *
 * @param facets - ids of all facets, in the order in which rows have them
 * @param maxLength - of the parameters with values
 */
export function queryOfBox(box: RowBox, facets: readonly string[], maxLength: number): BoxQuery {
  const periods = distinct(box.map(({ period }) => period))
  const lists = facets
    .map((id, at) => ({ id, values: distinct(box.map((row) => row.facets[at] ?? null)) }))
    .map(({ id, values }) => {
      // Either all rows of a box lack a facet, or none does.
      const texts = values.filter((value) => value !== null)
      const length = String(new URLSearchParams(texts.map((text) => [`facets[${id}][]`, text]))).length + 1
      return { id, texts, length }
    })
    .sort((one, other) => one.length - other.length)
  let left = maxLength
  const fitting = lists.filter(({ length }) => {
    left -= length
    return left >= 0
  })
  const values = Object.fromEntries(fitting.map(({ id, texts }) => [id, texts]))
  return { start: periods[0] ?? '', end: periods.at(-1) ?? '', values }
}

/** Divides a box of at least two rows so that the halves together reach over the fewest other rows. */
export function splitBox(box: RowBox, frequency: string): [RowBox, RowBox] {
  const size = box[0]?.facets.length ?? 0
  const parts = [
    (row: WantedRow) => row.period,
    ...Array.from({ length: size }, (_, at) => (row: WantedRow) => row.facets[at] ?? ''),
  ]
  const sizeOf = (halves: [RowBox, RowBox]) => reachOf(halves[0], frequency) + reachOf(halves[1], frequency)
  const [best] = parts
    .flatMap((partOf) => halvesBy(box, partOf))
    .map((halves) => ({ halves, size: sizeOf(halves) }))
    .sort((one, other) => one.size - other.size)
  if (best === undefined) throw new RangeError('a box of one row has no halves')
  return best.halves
}

/** The halves of a box by a period or a facet; none if all rows have the same. */
function halvesBy(box: RowBox, partOf: (row: WantedRow) => string): [RowBox, RowBox][] {
  const parts = distinct(box.map(partOf))
  const middle = parts[parts.length >> 1]
  if (middle === undefined || parts.length === 1) return []
  const isBefore = (row: WantedRow) => partOf(row) < middle
  return [[box.filter(isBefore), box.filter((row) => !isBefore(row))]]
}

/** How many rows are in reach of a box: by the calendar, with each combination of values. */
function reachOf(box: RowBox, frequency: string): number {
  const starts = box.map(({ period }) => parsePeriodStart(frequency, period))
  const periods = 1 + (maxOf(starts) + maxOf(starts.map((ms) => -ms))) / periodMs(frequency)
  const facets = box[0]?.facets ?? []
  return facets.reduce((reach, _, at) => reach * new Set(box.map((row) => row.facets[at])).size, periods)
}

const maxOf = (numbers: readonly number[]): number =>
  numbers.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY)

const MONTH_MS = 30 * 86_400_000

/** The length of a period, roughly. */
function periodMs(frequency: string): number {
  const length = lengthOfPeriod(frequency)
  if (length === null) return MONTH_MS
  return 'ms' in length ? length.ms : length.months * MONTH_MS
}

const distinct = <T extends string | null>(values: readonly T[]): T[] => [...new Set(values)].sort()
