import type uPlot from 'uplot'
import type { VisibleRange } from './visibleRange.ts'

/** A hand is not steady. */
const CLICK_PX = 5
/** A finger covers this distance on both sides. */
const FINGER_PX = 24
const DOUBLE_CLICK_MS = 300

/**
 * Follows clicks on points. The click after a drag, and both clicks of a double click, are not meant for a point. The first tap of
 * a finger only shows the value there.
 */
export function followClicks(plot: uPlot, onPick: (at: number) => void): void {
  const { over } = plot
  let pressedAt = 0
  let hasCursor = true
  let timer: ReturnType<typeof setTimeout> | undefined
  over.addEventListener('pointerdown', ({ clientX, pointerType }) => {
    clearTimeout(timer)
    pressedAt = clientX
    const { left = -1 } = plot.cursor
    const distance = Math.abs(clientX - over.getBoundingClientRect().left - left)
    hasCursor = pointerType !== 'touch' || (left >= 0 && distance <= FINGER_PX)
  })
  over.addEventListener('click', ({ clientX, detail }) => {
    if (detail > 1 || !hasCursor || Math.abs(clientX - pressedAt) > CLICK_PX) return
    const at = plot.posToVal(clientX - over.getBoundingClientRect().left, 'x')
    timer = setTimeout(onPick, DOUBLE_CLICK_MS, at)
  })
}

type Movable = Pick<VisibleRange, 'zoomAround' | 'panBy'>

/** Zooms and moves the range in view with the wheel, and with two fingers. */
export function followGestures(plot: uPlot, visible: Movable): void {
  followWheel(plot, visible)
  followFingers(plot, visible)
}

/** The wheel zooms if the chart has the focus or Ctrl is held. Otherwise it scrolls the page. */
function followWheel({ over }: uPlot, visible: Movable): void {
  over.addEventListener(
    'wheel',
    (event) => {
      const hasFocus = over.closest('figure')?.contains(document.activeElement) ?? false
      if (!event.ctrlKey && !hasFocus) return
      event.preventDefault()
      const { left, width } = over.getBoundingClientRect()
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) visible.panBy(event.deltaX / width)
      else visible.zoomAround(event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - left) / width)
    },
    { passive: false },
  )
}

/** One finger points and scrolls the page; two fingers zoom and move the chart. */
function followFingers(plot: uPlot, visible: Movable): void {
  const { over } = plot
  let last: Pinch | null = null
  over.addEventListener('touchstart', ({ touches }) => {
    last = pinchOf(touches)
  })
  over.addEventListener('touchend', ({ touches }) => {
    last = pinchOf(touches)
  })
  over.addEventListener(
    'touchmove',
    (event) => {
      const { left, top, width } = over.getBoundingClientRect()
      const [finger] = event.touches
      const pinch = pinchOf(event.touches)
      if (pinch === null || last === null) {
        if (finger !== undefined) plot.setCursor({ left: finger.clientX - left, top: finger.clientY - top })
        return
      }
      event.preventDefault()
      visible.zoomAround(last.apart / pinch.apart, (pinch.middle - left) / width)
      visible.panBy((last.middle - pinch.middle) / width)
      last = pinch
    },
    { passive: false },
  )
}

/** The distance of two fingers and the middle between them, along the time axis in pixels. */
interface Pinch {
  apart: number
  middle: number
}

/** In pixels. Fingers above each other would zoom without a limit. */
const MIN_APART = 10

function pinchOf({ 0: one, 1: other, length }: TouchList): Pinch | null {
  if (length !== 2 || one === undefined || other === undefined) return null
  const apart = Math.max(MIN_APART, Math.abs(one.clientX - other.clientX))
  return { apart, middle: (one.clientX + other.clientX) / 2 }
}
