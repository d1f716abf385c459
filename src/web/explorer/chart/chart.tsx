import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Line, pointAt } from './lines.ts'
import type { Plot, PlotLine, PlotOptions } from './plot.ts'
import type { Range } from './range.ts'

/** A line and the texts of its points. */
export interface ChartLine extends PlotLine {
  readonly id: string
  readonly name: ComponentChildren
  describe(index: number): string
  /** A point's value and time. */
  show(index: number): ComponentChildren
}

export interface ChartProps {
  lines: readonly ChartLine[]
  /** Whether every line has loaded or failed. Drawing earlier would move the axes with each line. */
  isReady: boolean
  /** The visible range; null shows everything. */
  range: Range | null
  onRange(range: Range | null): void
  /** Called when the reader clicks a point of the first line, or presses Enter there, which shows the revisions of its period. */
  onPick?: (index: number) => void
  label: string
  /** The id of the table with the same values. */
  detailsId: string
}

const HINT =
  'Drag to zoom in. Arrow keys step through the values, plus and minus zoom, Page Up and Page Down move, Escape shows all.'
const PICK_HINT = ' Enter or a click shows a period’s revisions.'

/** A line chart over time. The pointer and the keyboard zoom, move and read it. */
export function Chart({ lines, isReady, range, onRange, onPick, label, detailsId }: ChartProps) {
  const host = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<number | null>(null)
  const [said, setSaid] = useState('')
  const [first] = lines
  const pickAt = (moment: number): void => {
    const place = first === undefined ? -1 : pointAt(first, moment)
    if (place >= 0) onPick?.(place)
  }
  const { plot, hasFailed } = usePlot(host, { onRange, onCursor: setAt, onPick: pickAt })
  useEffect(() => {
    if (isReady) plot?.draw(lines, range)
  }, [plot, lines, range, isReady])
  const pressKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || plot === null || first === undefined) return
    const place = placeOf(event, first, at)
    if (place !== null) {
      const moment = first.x[place]
      if (moment !== undefined) plot.pointAt(moment)
      setSaid(first.describe(place))
    } else if (event.key === 'Enter' && at !== null) pickAt(at)
    else if (!moveView(event.key, plot)) return
    event.preventDefault()
  }
  return (
    <>
      <Readout lines={lines} at={at} />
      <figure
        class="chart"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read it value by value
        tabIndex={0}
        aria-label={label}
        aria-details={detailsId}
        aria-describedby="chart-hint"
        onKeyDown={pressKey}
      >
        <div class="plot" ref={host} aria-hidden="true" />
        {hasFailed && <p class="chart-note">The chart could not be loaded. The table has the same values.</p>}
      </figure>
      <div class="chart-tools">
        <Tools plot={plot} isAll={range === null} />
        <p class="hint" id="chart-hint">
          {HINT}
          {onPick !== undefined && PICK_HINT}
        </p>
      </div>
      <p class="visually-hidden" aria-live="polite">
        {said}
      </p>
    </>
  )
}

/** Returns the index of the point that a key selects; null for other keys. */
function placeOf({ key, shiftKey }: KeyboardEvent, line: Line, at: number | null): number | null {
  const last = line.x.length - 1
  const here = at === null ? last + 1 : pointAt(line, at)
  const step = shiftKey ? 10 : 1
  const places: Readonly<Record<string, number>> = {
    ArrowLeft: here - step,
    ArrowRight: here + step,
    Home: 0,
    End: last,
  }
  const place = places[key]
  return place === undefined ? null : Math.min(Math.max(place, 0), last)
}

/** Zooms or moves the chart. Returns whether it is a key for this. */
function moveView(key: string, plot: Plot): boolean {
  if (key === '+' || key === '=') plot.zoomBy(0.5)
  else if (key === '-') plot.zoomBy(2)
  else if (key === 'PageUp') plot.panBy(-0.5)
  else if (key === 'PageDown') plot.panBy(0.5)
  else if (key === 'Escape') plot.showAll()
  else return false
  return true
}

function Tools({ plot, isAll }: { plot: Plot | null; isAll: boolean }) {
  const tools: readonly [sign: string, label: string, isIdle: boolean, act: () => void][] = [
    ['+', 'Zoom in', false, () => plot?.zoomBy(0.5)],
    ['−', 'Zoom out', isAll, () => plot?.zoomBy(2)],
    ['←', 'Earlier', isAll, () => plot?.panBy(-0.5)],
    ['→', 'Later', isAll, () => plot?.panBy(0.5)],
  ]
  return (
    <div class="tools">
      {tools.map(([sign, label, isIdle, act]) => (
        <button
          key={label}
          type="button"
          aria-label={label}
          title={label}
          aria-disabled={isIdle}
          onClick={act}
        >
          {sign}
        </button>
      ))}
      <button type="button" aria-disabled={isAll} onClick={() => plot?.showAll()}>
        Show all
      </button>
    </div>
  )
}

/** The lines' values at the cursor, or their last ones without a cursor. */
function Readout({ lines, at }: { lines: readonly ChartLine[]; at: number | null }) {
  return (
    <ul class="readout">
      {lines.map((line, index) => {
        const point = at === null ? line.x.length - 1 : pointAt(line, at)
        return (
          <li key={line.id}>
            <svg viewBox="0 0 24 8" width="24" height="8" aria-hidden="true" class={`swatch is-${index + 1}`}>
              <path d="M0 4h24" />
            </svg>
            <span class="readout-name">{line.name}</span>{' '}
            <span class="readout-value">{point < 0 ? 'no value' : line.show(point)}</span>
          </li>
        )
      })}
    </ul>
  )
}

/** Loads the chart's code, and creates a chart in an element. */
function usePlot(host: { current: HTMLElement | null }, options: PlotOptions) {
  const [plot, setPlot] = useState<Plot | null>(null)
  const [hasFailed, setFailed] = useState(false)
  const newest = useRef(options)
  newest.current = options
  useEffect(() => {
    let created: Plot | null = null
    let isGone = false
    import('./plot.ts').then(
      ({ createPlot }) => {
        if (isGone || host.current === null) return
        created = createPlot(host.current, {
          onRange: (range) => newest.current.onRange(range),
          onCursor: (at) => newest.current.onCursor(at),
          onPick: (at) => newest.current.onPick(at),
        })
        setPlot(created)
      },
      () => setFailed(true),
    )
    return () => {
      isGone = true
      created?.destroy()
    }
  }, [host])
  useLook(host, plot)
  return { plot, hasFailed }
}

const LOOKS = ['(prefers-color-scheme: dark)', '(forced-colors: active)', 'print']

/** Adapts the chart to its element's size and to the page's colors. */
function useLook(host: { current: HTMLElement | null }, plot: Plot | null): void {
  useEffect(() => {
    if (plot === null || host.current === null) return
    let frame = 0
    // In a frame of its own: changing sizes inside the observer's callback is an error.
    const sizes = new ResizeObserver(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => plot.resize())
    })
    sizes.observe(host.current)
    const redraw = (): void => plot.redraw()
    const looks = LOOKS.map((query) => matchMedia(query))
    for (const look of looks) look.addEventListener('change', redraw)
    return () => {
      cancelAnimationFrame(frame)
      sizes.disconnect()
      for (const look of looks) look.removeEventListener('change', redraw)
    }
  }, [plot])
}
