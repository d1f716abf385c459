import { useEffect, useState } from 'preact/hooks'
import { feedHref } from '../../address.ts'
import type { FeedReading } from '../../data/readings.ts'
import { type RecentValues, recentValues } from '../../data/recentValues.ts'

const [WIDTH, HEIGHT, MARGIN] = [96, 28, 3]

/** Rows that fly past while the reader scrolls ask for nothing. */
const DELAY_MS = 120

/** A feed's newest values as a small line, without a scale: the feed's page has the chart. */
export function Sparkline({ feed: { feed_id, updated_at } }: { feed: FeedReading }) {
  const [values, setValues] = useState<RecentValues>([])
  useEffect(() => {
    if (feedHref(feed_id) === null) return
    const abort = new AbortController()
    // What fails leaves the place empty.
    const read = () => recentValues(feed_id, updated_at, abort.signal).then(setValues, () => {})
    const timer = setTimeout(read, DELAY_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [feed_id, updated_at])
  const points = pointsOf(values)
  const last = points.at(-1)
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
    >
      {last !== undefined && (
        <>
          <polyline points={points.map((point) => point.join(',')).join(' ')} />
          <circle cx={last[0]} cy={last[1]} r="2" />
        </>
      )}
    </svg>
  )
}

/** Places values side by side, the least at the bottom. */
export function pointsOf(values: RecentValues): [x: number, y: number][] {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const round = (number: number): number => Math.round(number * 10) / 10
  const y = (value: number): number =>
    most === least ? HEIGHT / 2 : HEIGHT - MARGIN - ((value - least) / (most - least)) * (HEIGHT - 2 * MARGIN)
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, values.length - 1)
  const right = WIDTH - MARGIN - (values.length - 1) * step
  return values.map((value, index) => [round(right + index * step), round(y(value))])
}
