import { curveLinear, curveStepAfter, line } from 'd3-shape'
import { formatXmlText } from '../../runtime/formatXmlText.ts'
import { formatValue } from './formatValue.ts'
import { timeAxis, valueAxis } from './scales.ts'
import { estimateWidth, fitText } from './text.ts'
import { type ChartTheme, chartStyle, fontSizes } from './theme.ts'

export interface ChartPoint {
  /** Start of the period in epoch milliseconds, or the time of attestation in a stepped chart. */
  readonly at: number
  /** The exact decimal, such as `64.03`. */
  readonly value: string
  /** The period in words, such as `13 Nov 2026`. */
  readonly period: string
}

/** What a chart shows. All texts may be those of strangers. */
export interface ChartContent {
  readonly title: string
  readonly unit: string
  /** Ascending in time; may be empty. */
  readonly points: readonly ChartPoint[]
  readonly newest: ChartPoint
  /** Where more time than this lies between two points, values are missing; null if that is unknown. */
  readonly maxStepMs: number | null
  /** Whether a value holds until the next one. */
  readonly isStepped: boolean
  /** A line below the chart, such as the source; null for none. */
  readonly caption: string | null
}

export interface ChartLook {
  readonly theme: ChartTheme
  /** In pixels, at least 240. */
  readonly width: number
  readonly height: number
}

/** Distances in pixels. */
const EDGE = 8
const TITLE_Y = 21
const NEWEST_Y = 46
/** How much wider bold text is. */
const BOLD = 1.2
/** Narrower charts have the period in a line of its own. */
const NARROW = 360
const LINE_HEIGHT = 16
/** Below the title and the newest value. */
const PLOT_TOP = 62
/** Below the plot, for the labels of its times. */
const AXIS_ROOM = 22
/** Between a label and what it belongs to. */
const GAP = 4

/** Draws a line chart of a feed as SVG, with its title, its newest value, axes and gaps. Depends on nothing but its arguments. */
export function drawChart(content: ChartContent, look: ChartLook): string {
  const { title, unit, caption } = content
  const { theme, width, height } = look
  const name = `${title}: ${formatValue(content.newest.value)} ${unit}, ${content.newest.period}`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="wf-chart" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${formatXmlText(name)}</title>`,
    `<desc>${formatXmlText(describe(content))}</desc>`,
    `<style>${chartStyle(theme)}</style>`,
    `<rect class="wf-page" width="${width}" height="${height}"/>`,
    drawHeader(content, width),
    drawPlot(content, look),
    caption === null
      ? ''
      : `<text class="wf-label" x="${EDGE}" y="${height - 6}">${fitted(caption, fontSizes.label, width - 2 * EDGE)}</text>`,
    '</svg>',
  ].join('')
}

function drawHeader({ title, unit, newest }: ChartContent, width: number): string {
  const room = width - 2 * EDGE
  // A long value leaves room for its unit, and a long unit for the period.
  const value = fitText(formatValue(newest.value), fontSizes.newest * BOLD, room * 0.7)
  const left = room - estimateWidth(`${value} `, fontSizes.newest * BOLD)
  const isNarrow = width < NARROW
  const unitText = fitText(unit, fontSizes.unit, isNarrow ? left : left * 0.6)
  const periodRoom = isNarrow ? room : left - estimateWidth(`${unitText} · `, fontSizes.unit)
  const period = fitted(newest.period, fontSizes.label, periodRoom)
  const beside = isNarrow ? '' : `<tspan class="wf-label"> · ${period}</tspan>`
  const below = isNarrow
    ? `<text class="wf-label" x="${EDGE}" y="${NEWEST_Y + LINE_HEIGHT}">${period}</text>`
    : ''
  return [
    `<text class="wf-title" x="${EDGE}" y="${TITLE_Y}">${fitted(title, fontSizes.title * BOLD, room)}</text>`,
    `<text class="wf-newest" x="${EDGE}" y="${NEWEST_Y}">${formatXmlText(value)} `,
    `<tspan class="wf-unit">${formatXmlText(unitText)}</tspan>${beside}</text>${below}`,
  ].join('')
}

const fitted = (text: string, fontSize: number, width: number): string =>
  formatXmlText(fitText(text, fontSize, width))

function drawPlot(content: ChartContent, { width, height }: ChartLook): string {
  const points = content.points.filter(({ value }) => Number.isFinite(Number(value)))
  const top = PLOT_TOP + (width < NARROW ? LINE_HEIGHT : 0)
  const bottom = height - AXIS_ROOM - (content.caption === null ? 0 : LINE_HEIGHT)
  if (points.length === 0)
    return `<text class="wf-label" x="${EDGE}" y="${top + LINE_HEIGHT}">No values in this range.</text>`
  const values = valueAxis(
    points.map(({ value }) => Number(value)),
    [bottom, top],
  )
  const widest = Math.max(...values.ticks.map(({ label }) => estimateWidth(label, fontSizes.label)))
  const left = Math.min(EDGE + widest + GAP, width / 2)
  const right = width - EDGE - GAP
  const times = timeAxis(
    points.map(({ at }) => at),
    [left + GAP, right],
    { fontSize: fontSizes.label, width },
  )
  const rows = values.ticks.map(
    ({ at, label }) =>
      `<path class="wf-grid" d="M${round(left)} ${round(at)}H${round(right)}"/><text class="wf-label" x="${round(left - GAP)}" y="${round(at + GAP)}" text-anchor="end">${label}</text>`,
  )
  const columns = times.ticks.map(
    ({ at, label }) =>
      `<text class="wf-label" x="${round(at)}" y="${bottom + LINE_HEIGHT}" text-anchor="middle">${label}</text>`,
  )
  return `${rows.join('')}${columns.join('')}${drawLine(points, content, { x: times.place, y: values.place })}`
}

interface Places {
  x(at: number): number
  y(value: number): number
}

/** Draws the line with its gaps, values between two gaps as dots, and the newest value as a larger one. Each value takes at most 15 bytes. */
function drawLine(
  points: readonly ChartPoint[],
  { newest, maxStepMs, isStepped }: ChartContent,
  places: Places,
): string {
  const shape = line<ChartPoint>()
    .x(({ at }) => places.x(at))
    .y(({ value }) => places.y(Number(value)))
    .curve(isStepped ? curveStepAfter : curveLinear)
    .digits(1)
  const placeOf = ({ at, value }: ChartPoint) =>
    [round(places.x(at)), round(places.y(Number(value)))] as const
  const parts = partsOf(points, maxStepMs)
  const path = parts.map((part) => (part.length === 1 ? '' : shape(part))).join('')
  // A line without a length is a dot, because its ends are round.
  const dots = parts.flatMap((part) => (part.length === 1 ? part.map((point) => `M${placeOf(point)}h0`) : []))
  const drawn = points.find(({ at, value }) => at === newest.at && value === newest.value)
  return [
    `<path class="wf-line" d="${path}"/>`,
    dots.length === 0 ? '' : `<path class="wf-line wf-alone" d="${dots.join('')}"/>`,
    drawn === undefined ? '' : drawNewest(placeOf(drawn)),
  ].join('')
}

const drawNewest = ([x, y]: readonly [x: number, y: number]): string =>
  `<circle class="wf-dot" cx="${x}" cy="${y}" r="3.5"/>`

const round = (pixels: number): number => Math.round(pixels * 10) / 10

/** Splits the points where values are missing. */
function partsOf(points: readonly ChartPoint[], maxStepMs: number | null): ChartPoint[][] {
  const parts: ChartPoint[][] = []
  for (const [index, point] of points.entries()) {
    const before = points[index - 1]
    const isGap = before === undefined || (maxStepMs !== null && point.at - before.at > maxStepMs)
    if (isGap) parts.push([])
    parts.at(-1)?.push(point)
  }
  return parts
}

/** Describes a chart for readers who do not see it. */
function describe({ points, unit, maxStepMs }: ChartContent): string {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined) return 'The chart has no values.'
  const sorted = points.toSorted((one, other) => Number(one.value) - Number(other.value))
  const [lowest = first, highest = first] = [sorted[0], sorted.at(-1)]
  const gaps = partsOf(points, maxStepMs).length - 1
  return [
    `Line chart of ${points.length} ${points.length === 1 ? 'value' : 'values'} in ${unit}. First: ${first.period}. Last: ${last.period}.`,
    `Lowest: ${formatValue(lowest.value)} (${lowest.period}).`,
    `Highest: ${formatValue(highest.value)} (${highest.period}).`,
    ...(gaps === 0 ? [] : [`Values are missing in ${gaps} ${gaps === 1 ? 'place' : 'places'}.`]),
  ].join(' ')
}
