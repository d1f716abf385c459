import { signal } from '@preact/signals'

let unfollow = (): void => {}

/**
 * Whether the page is printed. Browsers print the page as it is after `beforeprint`; a preview of paper in Chromium's tools only
 * changes the medium.
 */
export const isOnPaper = signal(false, {
  watched() {
    unfollow = follow()
  },
  unwatched: () => unfollow(),
})

function follow(): () => void {
  const paper = matchMedia('print')
  const check = (): void => {
    isOnPaper.value = paper.matches
  }
  const start = (): void => {
    isOnPaper.value = true
  }
  check()
  paper.addEventListener('change', check)
  addEventListener('beforeprint', start)
  addEventListener('afterprint', check)
  return () => {
    paper.removeEventListener('change', check)
    removeEventListener('beforeprint', start)
    removeEventListener('afterprint', check)
  }
}

/** Returns how many rows of a list to show: `limit` on the screen, and all on paper. */
export const limitOnScreen = (limit: number): number => (isOnPaper.value ? Number.POSITIVE_INFINITY : limit)
