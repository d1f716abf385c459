import { fit, pan, type Range, zoom } from './range.ts'

/** The range of a chart's time axis that is in view. */
export interface VisibleRange {
  /** Sets the range that the lines cover; null if they have no values. */
  cover(covered: Range | null): void
  show(range: Range | null): void
  showAll(): void
  /** Zooms around a position: 0 is the left end, 1 the right one. */
  zoomAround(factor: number, around: number): void
  panBy(part: number): void
  /** Takes over a range that the chart already shows. */
  take(range: Range): void
  /** Returns the visible range after moving it, if needed, so that it includes a moment; null if there are no values. */
  include(at: number): Range | null
}

export function createVisibleRange({
  onShow,
  onMove,
}: {
  onShow(range: Range): void
  /** Called when the reader zooms or moves; null for everything. */
  onMove(range: Range | null): void
}): VisibleRange {
  let extent: Range | null = null
  /** Null for everything. */
  let shown: Range | null = null

  function show(range: Range | null): void {
    shown = range
    const visible = shown ?? extent
    if (visible !== null) onShow(visible)
  }

  function move(change: (visible: Range, extent: Range) => Range | null): void {
    if (extent === null) return
    const moved = change(shown ?? extent, extent)
    show(moved)
    onMove(moved)
  }

  return {
    cover(covered) {
      extent = covered
    },
    show,
    showAll: () => move(() => null),
    zoomAround: (factor, around) => move((visible, extent) => zoom(visible, factor, around, extent)),
    panBy: (part) => move((visible, extent) => pan(visible, part, extent)),
    take(range) {
      if (extent === null) return
      const visible = shown ?? extent
      // The chart reports the ranges that it was told to show, too.
      if (Math.abs(range.from - visible.from) < 1 && Math.abs(range.to - visible.to) < 1) return
      shown = fit(range, extent)
      onMove(shown)
    },
    include(at) {
      if (extent === null) return null
      const visible = shown ?? extent
      const half = (visible.to - visible.from) / 2
      if (at < visible.from || at > visible.to)
        move((_, extent) => fit({ from: at - half, to: at + half }, extent))
      return shown ?? extent
    },
  }
}
