import { forPeriod } from '@wattfeed/eia'
import type { Reading } from 'wattfeed'
import { formatTime } from '../../web/cite/citation.ts'
import { formatExact } from '../../web/cite/formatExact.ts'
import { periodInWords, periodOf, showFrequency, showId, textsOf } from '../feedTexts.ts'
import { statusAt } from '../readers/statusAt.ts'
import { quote, quoteId } from './texts.ts'

export const readingEntry = (reading: Reading, now: number) => ({
  feed: showId(reading.feed_id),
  value: formatExact(reading.amount, reading.decimals),
  ...periodOf(reading, reading.period),
  frequency: showFrequency(reading.frequency),
  attested_at: formatTime(reading.updated_at),
  state: statusAt(reading, now).state,
  texts_by_strangers: textsOf(reading),
})

export function describeReading(reading: Reading, now: number): string {
  const { feed_id, amount, decimals, unit, period } = reading
  const { state } = statusAt(reading, now)
  return `${quoteId(feed_id)}: ${formatExact(amount, decimals)} ${quote(unit)} ${forPeriod(periodInWords(reading, period))} (${state})`
}
