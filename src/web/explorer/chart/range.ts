import { HOUR_MS } from '@wattfeed/base'
import type { Line } from './lines.ts'

/** A part of the time axis in epoch milliseconds. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** On both sides, as a part of the range. */
const MARGIN = 0.015
/** Around a single point. */
const ALONE_MS = 12 * HOUR_MS
/** The reader cannot zoom further in. */
const SHORTEST_MS = HOUR_MS
/** A range that covers this part of an extent is all of it. */
const ALL = 0.999

/** Returns the range of all points, with a margin; null if there are none. */
export function extentOf(lines: readonly Line[]): Range | null {
  const drawn = lines.filter(({ x }) => x.length > 0)
  if (drawn.length === 0) return null
  const from = Math.min(...drawn.map(({ x }) => x[0] ?? 0))
  const to = Math.max(...drawn.map(({ x }) => x.at(-1) ?? 0))
  const margin = Math.max((to - from) * MARGIN, to === from ? ALONE_MS : 0)
  return { from: from - margin, to: to + margin }
}

/** Zooms by a factor around a position (0 is the left end, 1 the right one), within an extent; null for all of it. */
export function zoom({ from, to }: Range, factor: number, around: number, extent: Range): Range | null {
  const span = Math.max((to - from) * factor, Math.min(SHORTEST_MS, extent.to - extent.from))
  const centre = from + (to - from) * around
  return within({ from: centre - span * around, to: centre + span * (1 - around) }, extent)
}

/** Returns the range within an extent, and not shorter than the shortest one; null for all of it. */
export const fit = (range: Range, extent: Range): Range | null => zoom(range, 1, 0.5, extent)

/** Moves a range by a fraction of its span, within an extent; null for all of it. */
export function pan({ from, to }: Range, part: number, extent: Range): Range | null {
  const step = (to - from) * part
  return within({ from: from + step, to: to + step }, extent)
}

/** Moves and clips a range so that it lies in an extent; null if it covers the extent. */
function within({ from, to }: Range, extent: Range): Range | null {
  const span = to - from
  if (span >= (extent.to - extent.from) * ALL) return null
  const start = Math.min(Math.max(from, extent.from), extent.to - span)
  return { from: start, to: start + span }
}
