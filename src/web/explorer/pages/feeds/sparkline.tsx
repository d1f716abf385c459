import { useMemo } from 'preact/hooks'
import { recentValues } from '../../data/recentValues.ts'

const [WIDTH, HEIGHT, MARGIN] = [96, 28, 3]

/** A feed's newest periods as a small line without scales. */
export function Sparkline({ feedId }: { feedId: string }) {
  const items = recentValues.value.get(feedId)?.items
  const points = useMemo(() => pointsOf((items ?? []).map(({ value }) => value)), [items])
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
export function pointsOf(values: readonly number[]): [x: number, y: number][] {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const round = (number: number): number => Math.round(number * 10) / 10
  const y = (value: number): number =>
    most === least ? HEIGHT / 2 : HEIGHT - MARGIN - ((value - least) / (most - least)) * (HEIGHT - 2 * MARGIN)
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, values.length - 1)
  const right = WIDTH - MARGIN - (values.length - 1) * step
  return values.map((value, index) => [round(right + index * step), round(y(value))])
}
