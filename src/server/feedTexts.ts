import { type DatedSeries, describePeriod, endsOf, formatPeriod, frequencies } from '@wattfeed/eia'
import type { Reading } from 'wattfeed'
import { printable } from '../runtime/printable.ts'

export const MAX_TITLE = 120
const MAX_UNIT = 40
const MAX_ID = 200

/** Returns a text of the chain with visible control characters, at most `max` characters long. */
export function clip(text: string, max: number): string {
  const shown = [...printable(text.slice(0, 2 * max))]
  return shown.length > max ? `${shown.slice(0, max - 1).join('')}…` : shown.join('')
}

/** Returns the texts of a feed that its registrant chose. */
export const textsOf = ({ title, unit, source }: Pick<Reading, 'title' | 'unit' | 'source'>) => ({
  title: clip(title, MAX_TITLE),
  unit: clip(unit, MAX_UNIT),
  source: clip(source, MAX_UNIT),
})

/** Returns what people call a feed: its title, or its id if the title is blank. */
export const feedName = ({ feed_id, title }: Pick<Reading, 'feed_id' | 'title'>): string =>
  clip(title.trim() === '' ? feed_id : title, MAX_TITLE)

/** Returns a feed id on one line, clipped, with visible control characters. */
export const showId = (feedId: string): string => clip(feedId, MAX_ID)

/** Returns EIA's term, or `other` for a text that is none. */
export const showFrequency = (frequency: string): string =>
  frequencies.find((each) => each === frequency) ?? 'other'

/** Returns a period as EIA writes it, in words, and what it covers. */
export const periodOf = (series: DatedSeries, period: number) => ({
  period: periodText(series.frequency, period),
  period_in_words: periodInWords(series, period),
  ...endsOf(series, period),
})

/** Returns a period as EIA writes it. Above 2^53, the client has only the nearest double. */
export const periodText = (frequency: string, period: number): string =>
  Number.isSafeInteger(period) ? (formatPeriod(frequency, period) ?? String(period)) : `about ${period}`

/** Returns a period in words, also one that the client knows only roughly. */
export const periodInWords = (series: DatedSeries, period: number): string =>
  Number.isSafeInteger(period)
    ? describePeriod(series, period).words
    : `a period of about ${period} (rounded)`
