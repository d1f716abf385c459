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
  const readMedium = (): void => {
    isOnPaper.value = paper.matches
  }
  const enterPaper = (): void => {
    isOnPaper.value = true
  }
  readMedium()
  paper.addEventListener('change', readMedium)
  addEventListener('beforeprint', enterPaper)
  addEventListener('afterprint', readMedium)
  return () => {
    paper.removeEventListener('change', readMedium)
    removeEventListener('beforeprint', enterPaper)
    removeEventListener('afterprint', readMedium)
  }
}

/** Returns how many rows of a list to show: `limit` on the screen, and all on paper. */
export const limitOnScreen = (limit: number): number => (isOnPaper.value ? Number.POSITIVE_INFINITY : limit)
