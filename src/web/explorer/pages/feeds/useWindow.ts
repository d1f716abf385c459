import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The rows of a long list that are rendered: from `first` up to `end`. */
export interface RowWindow {
  first: number
  end: number
}

/** Rows beyond the screen, so that they exist before the reader scrolls or tabs to them. */
const MARGIN_ROWS = 10
/** The window moves in steps, so that most scrolling renders nothing. */
const STEP_ROWS = 5
const ROWS_BEFORE_LAYOUT = 30

/**
 * Returns which of `count` rows of the same height to render as the page scrolls.
 *
 * @param rowHeight - in pixels
 */
export function useWindow(list: RefObject<HTMLElement | null>, count: number, rowHeight: number): RowWindow {
  const [shown, setShown] = useState<RowWindow>({ first: 0, end: ROWS_BEFORE_LAYOUT })
  useLayoutEffect(() => {
    const update = (): void => {
      const top = list.current?.getBoundingClientRect().top ?? 0
      const next = windowAt(-top / rowHeight, innerHeight / rowHeight)
      setShown((last) => (last.first === next.first && last.end === next.end ? last : next))
    }
    update()
    addEventListener('scroll', update, { passive: true })
    addEventListener('resize', update)
    return () => {
      removeEventListener('scroll', update)
      removeEventListener('resize', update)
    }
  }, [list, count, rowHeight])
  const end = Math.min(shown.end, count)
  return { first: Math.min(shown.first, end), end }
}

/** Waits until the reader stops scrolling. */
const SETTLED_MS = 200

/** Returns the rows on the screen, from `first` up to `end`, whenever the reader stops scrolling. */
export function useRowsOnScreen(
  list: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
): RowWindow {
  const [shown, setShown] = useState<RowWindow>({ first: 0, end: 0 })
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const update = (): void => {
      const top = list.current?.getBoundingClientRect().top ?? 0
      const rowAt = (y: number): number => Math.min(Math.max(0, (y - top) / rowHeight), count)
      const next = { first: Math.floor(rowAt(0)), end: Math.ceil(rowAt(innerHeight)) }
      setShown((last) => (last.first === next.first && last.end === next.end ? last : next))
    }
    const updateLater = (): void => {
      clearTimeout(timer)
      timer = setTimeout(update, SETTLED_MS)
    }
    update()
    addEventListener('scroll', updateLater, { passive: true })
    addEventListener('resize', updateLater)
    return () => {
      clearTimeout(timer)
      removeEventListener('scroll', updateLater)
      removeEventListener('resize', updateLater)
    }
  }, [list, count, rowHeight])
  return shown
}

/** Returns the window of a screen that shows `rows` rows, starting at row `top`. */
export function windowAt(top: number, rows: number): RowWindow {
  const step = Math.floor(top / STEP_ROWS) * STEP_ROWS
  const first = Math.max(0, step - MARGIN_ROWS)
  return {
    first,
    end: Math.max(first, step + Math.ceil(rows / STEP_ROWS) * STEP_ROWS + STEP_ROWS + MARGIN_ROWS),
  }
}
