import { formatUtc } from '@wattfeed/eia'
import { useMemo } from 'preact/hooks'
import type { FeedHistory } from '../../data/feedHistory.ts'
import { Moment } from '../../ui/time.tsx'
import { dayOf } from './view.ts'

interface AsOfProps {
  history: FeedHistory
  /** In epoch milliseconds; null for now. */
  asOf: number | null
  onChange(asOf: number | null): void
}

/** Shows the history as of an earlier time: a slider with a stop for each block with a value, and a date field. */
export function AsOf({ history: { items }, asOf, onChange }: AsOfProps) {
  const moments = useMemo(() => momentsOf(items), [items])
  const last = Math.max(0, moments.length - 1)
  const then = asOf ?? Number.POSITIVE_INFINITY
  const place = Math.max(
    0,
    moments.findLastIndex((moment) => moment <= then),
  )
  const words = asOf === null ? 'now' : formatUtc(asOf)
  return (
    <div class="as-of">
      <label class="as-of-slider">
        <span class="label">As of</span>
        <input
          type="range"
          min={0}
          max={last}
          value={place}
          disabled={moments.length < 2}
          aria-valuetext={words}
          onInput={({ currentTarget: { valueAsNumber } }) =>
            onChange(valueAsNumber === last ? null : (moments[valueAsNumber] ?? null))
          }
        />
      </label>
      <label class="as-of-day">
        <span class="label">End of the day, UTC</span>
        <input
          type="date"
          min={dayOf(moments[0])}
          max={dayOf(moments.at(-1))}
          value={dayOf(asOf ?? undefined)}
          disabled={moments.length < 2}
          onChange={({ currentTarget: { value } }) => onChange(endOfDay(value, Date.now()))}
        />
      </label>
      <p class="as-of-words">
        {asOf === null ? 'now' : <Moment ms={asOf} />}
        <button type="button" class="is-quiet" hidden={asOf === null} onClick={() => onChange(null)}>
          Back to now
        </button>
      </p>
    </div>
  )
}

/** Returns the times of attestation, ascending; each once. */
const momentsOf = (items: FeedHistory['items']): readonly number[] =>
  [...new Set(items.map(({ attested_at }) => attested_at))].reverse()

const DAY_MS = 86_400_000

/** Returns the end of a day in UTC, the meaning of a date in `as_of`; null if it is invalid or in the future. */
function endOfDay(date: string, now: number): number | null {
  const end = Date.parse(date) + DAY_MS - 1
  return end < now ? end : null
}
