import { formatExact, formatTime } from '../../cite/citation.ts'
import type { Reading } from '../../client/index.ts'
import { preparedStatus } from '../status.ts'
import { periodOf, showFrequency, showId, textsOf } from './texts.ts'

/** Returns a reading as the tools show it. */
export const readingEntry = (reading: Reading, now: number) => ({
  feed: showId(reading.feed_id),
  value: formatExact(reading.amount, reading.decimals),
  ...periodOf(reading.frequency, reading.period),
  frequency: showFrequency(reading.frequency),
  attested_at: formatTime(reading.updated_at),
  state: preparedStatus(reading)(now).state,
  texts_by_strangers: textsOf(reading),
})
