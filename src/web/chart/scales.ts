import { DAY_MS } from '@wattfeed/base'
import { formatDay, formatMonth, formatUtc } from '@wattfeed/eia'
import { scaleLinear, scaleUtc } from 'd3-scale'
import { estimateWidth } from './text.ts'

/** A labeled position on an axis, in pixels. */
export interface Tick {
  readonly at: number
  readonly label: string
}

export interface Axis {
  readonly place: (value: number) => number
  readonly ticks: readonly Tick[]
}

/** Pixels of the values between two ticks. */
const VALUE_STEP = 42

/**
 * Returns the axis of values.
 *
 * @param range pixels of the lowest and of the highest value
 */
export function valueAxis(values: readonly number[], range: readonly [low: number, high: number]): Axis {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)]
  const margin = lowest === highest ? Math.abs(lowest) * 0.05 || 1 : 0
  const count = Math.max(2, Math.floor(Math.abs(range[1] - range[0]) / VALUE_STEP))
  const scale = scaleLinear([lowest - margin, highest + margin], range).nice(count)
  const ticks = scale.ticks(count)
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0)
  return { place: scale, ticks: ticks.map((value) => ({ at: scale(value), label: formatTick(value, step) })) }
}

const MILLION = 1_000_000
const MAX_DECIMALS = 12
/** Smaller steps, and values from here on, are written with an exponent. */
const [MIN_STEP, MAX_PLAIN] = [1e-9, 1e15]

function formatTick(value: number, step: number): string {
  if (Math.abs(value) >= MAX_PLAIN || (value !== 0 && step < MIN_STEP)) return value.toExponential(2)
  if (Math.abs(value) >= MILLION && step >= MILLION / 1_000)
    return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 3 }).format(value)
  // The logarithm of 0.001 may be just below -3.
  const decimals = Math.min(MAX_DECIMALS, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))
  const format = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return new Intl.NumberFormat('en', format).format(value)
}

const MINUTE_MS = 60_000

/** Room for a label of a time, in pixels. */
const TIME_STEP = 60

/**
 * Returns the axis of time. A single moment is in the middle.
 *
 * @param times epoch milliseconds, ascending
 * @param range pixels of the first and of the last time
 */
export function timeAxis(
  times: readonly number[],
  range: readonly [left: number, right: number],
  { fontSize, width }: { fontSize: number; width: number },
): Axis {
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const middle = (range[0] + range[1]) / 2
  if (first === last) return { place: () => middle, ticks: [{ at: middle, label: formatDay(first) }] }
  const scale = scaleUtc([first, last], range)
  const moments = scale.ticks(Math.max(2, Math.floor((range[1] - range[0]) / TIME_STEP)))
  const format = timeFormat(moments)
  const ticks = moments.map((moment) => ({ at: scale(moment), label: format(moment.getTime()) }))
  return { place: scale, ticks: apart(ticks, fontSize, width) }
}

/** Returns a format that tells the ticks apart: the year, the month, the day, or the time of day. */
function timeFormat(moments: readonly Date[]): (ms: number) => string {
  const [first, second] = moments
  const step = first === undefined || second === undefined ? 0 : second.getTime() - first.getTime()
  // A year has 365 days or more, and a month 28 or more.
  if (step >= 360 * DAY_MS) return (ms) => formatMonth(ms).replace(/^.* /, '')
  if (step >= 27 * DAY_MS) return (ms) => formatDay(ms).replace(/^\d+ /, '')
  if (step === 0) return formatDay
  if (step >= DAY_MS) return (ms) => formatDay(ms).replace(/ \d+$/, '')
  if (step >= MINUTE_MS) return (ms) => formatUtc(ms).replace(/^.*, | UTC$/g, '')
  return (ms) => new Date(ms).toISOString().slice(11, 19)
}

/** Drops the ticks whose labels would overlap or leave the picture. */
function apart(ticks: readonly Tick[], fontSize: number, width: number): Tick[] {
  const kept: Tick[] = []
  let end = 0
  for (const tick of ticks) {
    const half = estimateWidth(tick.label, fontSize) / 2
    if (tick.at - half < end || tick.at + half > width) continue
    kept.push(tick)
    end = tick.at + half + fontSize
  }
  return kept
}
