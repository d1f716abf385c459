import { DAY_MS } from '@wattfeed/base'
import { formatUtc } from '@wattfeed/eia'
import { useMemo, useState } from 'preact/hooks'
import type { FeedHistory } from '../../data/feedHistory.ts'
import { Moment } from '../../ui/time.tsx'
import { dayOf } from './view.ts'

interface AsOfProps {
  history: FeedHistory
  /** In epoch milliseconds; null for now. */
  asOf: number | null
  onChange(asOf: number | null): void
}

/** Shows the history as of an earlier time: a slider with a stop for each block with a value, and a field for a day. */
export function AsOf({ history: { items }, asOf, onChange }: AsOfProps) {
  const moments = useMemo(() => momentsOf(items), [items])
  const last = Math.max(0, moments.length - 1)
  const then = asOf ?? Number.POSITIVE_INFINITY
  const place = Math.max(
    0,
    moments.findLastIndex((moment) => moment <= then),
  )
  const words = asOf === null ? 'now' : formatUtc(asOf)
  const day = useDay(asOf, onChange)
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
        {/* A field for dates would show them as the browser's language writes them. */}
        <input
          type="text"
          placeholder={DAY_FORM}
          title={`${dayOf(moments[0])} to ${dayOf(moments.at(-1))}`}
          maxLength={DAY_FORM.length}
          autocomplete="off"
          aria-invalid={day.isFaulty}
          aria-describedby={WORDS_ID}
          value={day.text}
          disabled={moments.length < 2}
          onInput={({ currentTarget: { value } }) => day.type(value)}
          onChange={({ currentTarget: { value } }) => day.enter(value)}
        />
      </label>
      <p class="as-of-words" id={WORDS_ID}>
        {day.isFaulty && <span role="alert">{`Write a day as ${DAY_FORM}.`}</span>}
        {!day.isFaulty && (asOf === null ? 'now' : <Moment ms={asOf} />)}
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

const DAY_FORM = 'YYYY-MM-DD'
const WORDS_ID = 'as-of-words'

/** The text of the field for a day. A day counts as soon as it is complete. */
function useDay(asOf: number | null, onChange: AsOfProps['onChange']) {
  const [draft, setDraft] = useState<{ text: string; isFaulty: boolean; asOf: number | null } | null>(null)
  // Another time was chosen since, such as by the slider.
  const current = draft?.asOf === asOf ? draft : null
  const choose = (text: string): void => {
    setDraft(null)
    onChange(endOfDay(text, Date.now()))
  }
  return {
    text: current?.text ?? dayOf(asOf ?? undefined),
    isFaulty: current?.isFaulty ?? false,
    type(text: string): void {
      if (isDay(text)) choose(text)
      else setDraft({ text, isFaulty: false, asOf })
    },
    enter(text: string): void {
      if (text.trim() === '') choose('')
      else if (!isDay(text)) setDraft({ text, isFaulty: true, asOf })
    },
  }
}

/** Returns whether a text is a day as ISO 8601 writes it. */
function isDay(text: string): boolean {
  const ms = Date.parse(text)
  // Some browsers parse 2026-02-30 as a day of March.
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(ms) && dayOf(ms) === text
}

/** Returns the end of a day in UTC, the meaning of a date in `as_of`; null if it is invalid or in the future. */
function endOfDay(date: string, now: number): number | null {
  const end = Date.parse(date) + DAY_MS - 1
  return end < now ? end : null
}
