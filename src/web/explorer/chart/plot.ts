import { DAY_MS } from '@wattfeed/base'
import { formatDay } from '@wattfeed/eia'
import uPlot from 'uplot'
import { MAX_UNIT, showText } from '../format/untrusted.ts'
import { type AlignedLines, alignLines, type Line } from './lines.ts'
import { followClicks, followGestures } from './pointer.ts'
import { extentOf, type Range } from './range.ts'
import { VisibleRange } from './visibleRange.ts'

export interface PlotLine extends Line {
  readonly unit: string
}

export interface PlotOptions {
  /** Called when the reader zooms or moves; null shows everything. */
  onRange(range: Range | null): void
  /** Called when the reader points at a time, or at none. */
  onCursor(at: number | null): void
  /** Called when the reader clicks at a time. */
  onPick(at: number): void
}

export interface Plot {
  draw(lines: readonly PlotLine[], range: Range | null): void
  /** Moves the cursor to a time, and brings it into view. */
  pointAt(at: number): void
  /** Zooms around the cursor, or around the middle. */
  zoomBy(factor: number): void
  panBy(part: number): void
  showAll(): void
  resize(): void
  /** Redraws with the page's current colors. */
  redraw(): void
  destroy(): void
}

/** With more points in view, a line has no room for steps, dashes and dots. */
const MANY = 4_000

const colorOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Of the lines in their order, so that they differ not only by color. The first one is solid. */
const dashes: readonly (number[] | undefined)[] = [undefined, [8, 4], [2, 3], [12, 3, 2, 3], [5, 2]]

export function createPlot(host: HTMLElement, { onRange, onCursor, onPick }: PlotOptions): Plot {
  let chart: uPlot | null = null
  let kind = ''
  /** Whether the scales change because of new lines, and not by the reader. */
  let isDrawing = false
  const visible = new VisibleRange({
    onShow: ({ from, to }) => chart?.setScale('x', { min: from, max: to }),
    onMove: onRange,
  })

  const sizeOf = () => ({ width: Math.max(host.clientWidth, 100), height: Math.max(host.clientHeight, 100) })

  /** Takes over a range that the reader selected with the pointer. */
  function takeScale(plot: uPlot): void {
    const { min, max } = plot.scales.x ?? {}
    if (!isDrawing && min != null && max != null) visible.take({ from: min, to: max })
  }

  /** Replaces uPlot's own handler, which would show all points without a margin. */
  function showAllOnDoubleClick(): null {
    visible.showAll()
    return null
  }

  function create(lines: readonly PlotLine[], data: AlignedLines): uPlot {
    const options: uPlot.Options = {
      ...sizeOf(),
      ...linesOptions(lines),
      ms: 1,
      tzDate: (ms) => uPlot.tzDate(new Date(ms), 'Etc/UTC'),
      legend: { show: false },
      cursor: { y: false, drag: { x: true, y: false }, bind: { dblclick: () => showAllOnDoubleClick } },
      hooks: {
        setScale: [(each, key) => key === 'x' && takeScale(each)],
        setCursor: [(each) => onCursor(momentAtCursor(each))],
      },
    }
    const plot = new uPlot(options, data as uPlot.AlignedData, host)
    followGestures(plot, visible)
    followClicks(plot, onPick)
    return plot
  }

  return {
    draw(lines, range) {
      const extent = extentOf(lines)
      visible.cover(extent)
      // Without values, the axes would have another size.
      if (extent === null && chart === null) return
      isDrawing = true
      const data = alignLines(lines)
      const wantedKind = kindOf(lines)
      if (chart === null || kind !== wantedKind) {
        chart?.destroy()
        chart = create(lines, data)
        kind = wantedKind
      } else chart.setData(data as uPlot.AlignedData, false)
      visible.show(range)
      // Scales are set with the next microtask.
      queueMicrotask(() => {
        isDrawing = false
      })
    },
    pointAt(at) {
      const range = visible.include(at)
      if (chart === null || range === null) return
      const left = ((at - range.from) / (range.to - range.from)) * chart.over.clientWidth
      chart.setCursor({ left, top: chart.over.clientHeight / 2 })
    },
    zoomBy(factor) {
      const left = chart?.cursor.left ?? -1
      visible.zoomAround(factor, chart === null || left < 0 ? 0.5 : left / chart.over.clientWidth)
    },
    panBy: (part) => visible.panBy(part),
    showAll: () => visible.showAll(),
    resize: () => chart?.setSize(sizeOf()),
    redraw: () => chart?.redraw(false, true),
    destroy() {
      chart?.destroy()
      chart = null
    },
  }
}

// Charts of one kind differ only in their values, so that uPlot need not be created again.
const kindOf = (lines: readonly PlotLine[]): string =>
  JSON.stringify(lines.map(({ unit, isStepped, x }) => [unit, isStepped, x.length > MANY]))

function momentAtCursor(plot: uPlot): number | null {
  const { left = -1 } = plot.cursor
  return left < 0 ? null : plot.posToVal(left, 'x')
}

/** The scales, series and axes of the lines: one axis for each of the first two units. */
function linesOptions(lines: readonly PlotLine[]) {
  const units = [...new Set(lines.map(({ unit }) => unit))]
  return {
    padding: [12, units.length > 1 ? 0 : 16, 0, 0] satisfies uPlot.Padding,
    scales: {
      x: { time: true },
      ...Object.fromEntries(units.map((_, index) => [`y${index}`, { range: rangeOf }])),
    },
    series: [{}, ...lines.map((line, index) => seriesOf(line, index, units))],
    axes: [timeAxis, ...units.slice(0, 2).map(unitAxis)],
  }
}

function seriesOf({ unit, isStepped, x }: PlotLine, index: number, units: readonly string[]): uPlot.Series {
  const [straight, steps] = [uPlot.paths.linear?.(), uPlot.paths.stepped?.({ align: 1 })]
  const dash = x.length > MANY ? undefined : dashes[index]
  return {
    scale: `y${units.indexOf(unit)}`,
    stroke: () => colorOf(`--series-${index + 1}`),
    width: 1.75,
    spanGaps: true,
    ...(dash === undefined ? {} : { dash }),
    points: { fill: () => colorOf('--page'), size: 7 },
    paths: (plot, each, from, to) => {
      const draw = isStepped && to - from <= MANY ? steps : straight
      return draw?.(plot, each, from, to) ?? null
    },
  }
}

const FONT = '12px system-ui, sans-serif'
const lineColors: Pick<uPlot.Axis, 'stroke' | 'grid' | 'ticks'> = {
  stroke: () => colorOf('--muted'),
  grid: { stroke: () => colorOf('--line'), width: 1 },
  ticks: { stroke: () => colorOf('--line'), width: 1, size: 4 },
}

const timeAxis: uPlot.Axis = {
  ...lineColors,
  font: FONT,
  size: 44,
  space: 72,
  values: (_, splits, __, ___, stepMs) =>
    splits.map((at, index) => formatMoment(at, splits[index - 1], stepMs)),
}

/** Formats a tick of the time axis in UTC. Its second line appears only if it differs from the previous tick. */
function formatMoment(at: number, before: number | undefined, stepMs: number): string {
  const [day = '', month = '', year = ''] = formatDay(at).split(' ')
  if (stepMs >= 360 * DAY_MS) return year
  const isNewYear = before === undefined || formatDay(before).split(' ')[2] !== year
  if (stepMs >= 27 * DAY_MS) return isNewYear ? `${month}\n${year}` : month
  if (stepMs >= DAY_MS) return isNewYear ? `${day} ${month}\n${year}` : `${day} ${month}`
  const time = new Date(at).toISOString().slice(11, stepMs >= 60_000 ? 16 : 19)
  const isNewDay = before === undefined || formatDay(before) !== formatDay(at)
  return isNewDay ? `${time}\n${day} ${month}` : time
}

/** Places a constant value in the middle. */
const rangeOf = (_: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax => {
  if (min === null || max === null) return [0, 1]
  const margin = Math.abs(min) * 0.05 || 1
  return min === max ? [min - margin, max + margin] : uPlot.rangeNum(min, max, 0.1, true)
}

const DIGIT_WIDTH = 7.5

/** The axis of a unit: the first on the left, the second on the right. */
const unitAxis = (unit: string, index: number): uPlot.Axis => ({
  ...lineColors,
  ...(index === 1 ? { grid: { show: false } } : {}),
  scale: `y${index}`,
  side: index === 0 ? 3 : 1,
  font: FONT,
  label: showText(unit, MAX_UNIT),
  labelFont: FONT,
  labelSize: 20,
  values: (_, splits) => splits.map(formatTick),
  size: (_, values) => 14 + DIGIT_WIDTH * Math.max(6, ...(values ?? []).map((text) => text.length)),
})

const ticks = new Intl.NumberFormat('en', { maximumFractionDigits: 6 })
const MAX_TICK = 1e9

const formatTick = (value: number): string =>
  Math.abs(value) >= MAX_TICK ? value.toExponential(2) : ticks.format(value)
