import { useEffect, useState } from 'preact/hooks'
import { feedHref } from '../../../site/feedPath.ts'
import type { FeedReading } from '../../data/readings.ts'
import { type RecentValues, recentValues } from '../../data/recentValues.ts'

const [WIDTH, HEIGHT, MARGIN] = [96, 28, 3]

/** Delays the request, so that rows that scroll past send none. */
const DELAY_MS = 120

/** A feed's newest values as a small line without scales. */
export function Sparkline({ feed: { feed_id, updated_at } }: { feed: FeedReading }) {
  const [values, setValues] = useState<RecentValues>([])
  useEffect(() => {
    if (feedHref(feed_id) === null) return
    const abort = new AbortController()
    // After a failure the place stays empty.
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

/** Returns the points of values from left to right, the lowest at the bottom. */
export function pointsOf(values: RecentValues): [x: number, y: number][] {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const round = (number: number): number => Math.round(number * 10) / 10
  const y = (value: number): number =>
    most === least ? HEIGHT / 2 : HEIGHT - MARGIN - ((value - least) / (most - least)) * (HEIGHT - 2 * MARGIN)
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, values.length - 1)
  const right = WIDTH - MARGIN - (values.length - 1) * step
  return values.map((value, index) => [round(right + index * step), round(y(value))])
}
