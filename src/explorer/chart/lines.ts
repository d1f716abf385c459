import type { HistoryItem } from '../data/feedHistory.ts'

/** Which attestations of a period count: its latest or its first one, or every one in the order of attestation. */
export const vintageKinds = ['latest', 'first', 'all'] as const
export type Vintages = (typeof vintageKinds)[number]

/** Which part of a history is shown. */
export interface RowQuery {
  vintages: Vintages
  /** What the chain held then, in epoch milliseconds; null for now. */
  asOf: number | null
}

/**
 * The rows of a history: one a period, by period, or every one by time.
 *
 * @param items - the newest first; where the oldest ones are missing, so are periods whose first print is
 */
export function rowsOf(items: readonly HistoryItem[], { vintages, asOf }: RowQuery): readonly HistoryItem[] {
  const known = asOf === null ? items : items.filter(({ attested_at }) => attested_at <= asOf)
  if (vintages === 'all') return known.toReversed()
  const byPeriod = new Map<number, HistoryItem>()
  for (const item of known)
    if (vintages === 'first' || !byPeriod.has(item.period)) byPeriod.set(item.period, item)
  const rows = [...byPeriod.values()].sort((one, other) => one.period - other.period)
  return vintages === 'first' ? rows.filter(({ revision }) => revision === 0) : rows
}

/** Points from the left to the right. */
export interface Line {
  /** Epoch milliseconds, ascending. */
  readonly x: readonly number[]
  readonly y: readonly number[]
  /** What each point is of. */
  readonly rows: readonly HistoryItem[]
  /** Whether a value holds until the next one. */
  readonly isStepped: boolean
}

/** The points of rows: at their periods, or as steps at the times that they were attested at. */
export function lineOf(rows: readonly HistoryItem[], isByTime: boolean): Line {
  const [x, y, kept]: [number[], number[], HistoryItem[]] = [[], [], []]
  for (const row of rows) {
    const at = isByTime ? row.attested_at : Date.parse(row.period_start ?? '')
    if (Number.isNaN(at) || !Number.isFinite(row.value)) continue
    // Of several in one block, the last one counts.
    const place = x.at(-1) === at ? x.length - 1 : x.length
    x[place] = at
    y[place] = row.value
    kept[place] = row
  }
  return { x, y, rows: kept, isStepped: isByTime }
}

/** Whether rows have a place in time but the one of their attestation. */
export const havePeriods = (items: readonly HistoryItem[]): boolean =>
  items.some(({ period_start }) => period_start !== null)

/** Lines over one x axis: its values, and each line's, which are undefined where it has no point. */
export type AlignedLines = [x: number[], ...y: (number | undefined)[][]]

/** Brings lines on one x axis. */
export function alignLines(lines: readonly Line[]): AlignedLines {
  const [only] = lines
  if (only !== undefined && lines.length === 1) return [[...only.x], [...only.y]]
  const x = [...new Set(lines.flatMap((line) => line.x))].sort((one, other) => one - other)
  const placeOf = new Map(x.map((at, place) => [at, place]))
  const aligned = lines.map((line) => {
    const y = new Array<number | undefined>(x.length).fill(undefined)
    for (const [index, at] of line.x.entries()) y[placeOf.get(at) ?? 0] = line.y[index]
    return y
  })
  return [x, ...aligned]
}

/** The index of the point that stands for a moment: the nearest, or of steps the last one before; -1 if none does. */
export function pointAt({ x, isStepped }: Line, at: number): number {
  let [low, high] = [0, x.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((x[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  const before = low - 1
  if (isStepped || low === x.length) return before
  if (before < 0) return low
  return at - (x[before] ?? 0) <= (x[low] ?? 0) - at ? before : low
}

/** A part of the time axis in epoch milliseconds. */
export interface Range {
  readonly from: number
  readonly to: number
}

const HOUR_MS = 3_600_000
const MARGIN = 0.015

/** All of some lines, with a margin; null where there is no point. */
export function extentOf(lines: readonly Line[]): Range | null {
  const drawn = lines.filter(({ x }) => x.length > 0)
  if (drawn.length === 0) return null
  const from = Math.min(...drawn.map(({ x }) => x[0] ?? 0))
  const to = Math.max(...drawn.map(({ x }) => x.at(-1) ?? 0))
  const margin = Math.max((to - from) * MARGIN, to === from ? 12 * HOUR_MS : 0)
  return { from: from - margin, to: to + margin }
}

/** Zooms by a factor around a part of the range (0 its left end, 1 its right one), within an extent; null for all of it. */
export function zoom({ from, to }: Range, factor: number, around: number, extent: Range): Range | null {
  const span = Math.max((to - from) * factor, Math.min(HOUR_MS, extent.to - extent.from))
  const centre = from + (to - from) * around
  return within({ from: centre - span * around, to: centre + span * (1 - around) }, extent)
}

/** Moves a range by a part of itself, within an extent. */
export function pan({ from, to }: Range, part: number, extent: Range): Range | null {
  const step = (to - from) * part
  return within({ from: from + step, to: to + step }, extent)
}

/** Moves and cuts a range so that it lies in an extent; null where it covers it. */
function within({ from, to }: Range, extent: Range): Range | null {
  const span = to - from
  if (span >= (extent.to - extent.from) * 0.999) return null
  const start = Math.min(Math.max(from, extent.from), extent.to - span)
  return { from: start, to: start + span }
}
