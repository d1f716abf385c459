import { fit, pan, type Range, zoom } from './range.ts'

interface Listeners {
  /** Called when the chart has to show another range. */
  onShow(range: Range): void
  /** Called when the reader zooms or moves; null for everything. */
  onMove(range: Range | null): void
}

/** The range of a chart's time axis that is in view. */
export class VisibleRange {
  /** The range that the lines cover; null if they have no values. */
  private extent: Range | null = null
  /** Null for everything. */
  private shown: Range | null = null

  constructor(private readonly listeners: Listeners) {}

  /** Sets the range that the lines cover; null if they have no values. */
  cover(extent: Range | null): void {
    this.extent = extent
  }

  show(range: Range | null): void {
    this.shown = range
    const visible = range ?? this.extent
    if (visible !== null) this.listeners.onShow(visible)
  }

  showAll(): void {
    this.move(() => null)
  }

  /** Zooms around a position: 0 is the left end, 1 the right one. */
  zoomAround(factor: number, around: number): void {
    this.move((visible, extent) => zoom(visible, factor, around, extent))
  }

  panBy(part: number): void {
    this.move((visible, extent) => pan(visible, part, extent))
  }

  /** Takes over a range that the chart already shows. */
  take(range: Range): void {
    if (this.extent === null) return
    const visible = this.shown ?? this.extent
    // The chart also reports each range that `onShow` asked for.
    if (Math.abs(range.from - visible.from) < 1 && Math.abs(range.to - visible.to) < 1) return
    this.shown = fit(range, this.extent)
    this.listeners.onMove(this.shown)
  }

  /** Returns the visible range after moving it, if needed, so that it includes a moment; null if there are no values. */
  include(at: number): Range | null {
    if (this.extent === null) return null
    const { from, to } = this.shown ?? this.extent
    const half = (to - from) / 2
    if (at < from || at > to) this.move((_, extent) => fit({ from: at - half, to: at + half }, extent))
    return this.shown ?? this.extent
  }

  private move(change: (visible: Range, extent: Range) => Range | null): void {
    if (this.extent === null) return
    const moved = change(this.shown ?? this.extent, this.extent)
    this.show(moved)
    this.listeners.onMove(moved)
  }
}
