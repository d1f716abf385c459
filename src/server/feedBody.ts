import type { Reading } from '../client/index.ts'
import { createBodyCheck } from './bodyCheck.ts'
import { type ReadingBody, readingBody } from './schemas.ts'

const checkReading = createBodyCheck(readingBody, 'chain')

// Field order is part of the interface; the client's objects are not trusted with it.
const toBody = (reading: Reading): ReadingBody => ({
  feed_id: reading.feed_id,
  decimals: reading.decimals,
  unit: reading.unit,
  title: reading.title,
  source: reading.source,
  route: reading.route,
  frequency: reading.frequency,
  description: reading.description,
  value: reading.value,
  amount: String(reading.amount),
  period: reading.period,
  source_hash: reading.source_hash,
  updated_at: reading.updated_at,
})

// The client returns the same objects while nothing changed on chain: a text lives as long as its object.
const feedTexts = new WeakMap<Reading, string>()
const feedsTexts = new WeakMap<readonly Reading[], string>()

/** A reading as JSON text; written and checked once per object. @throws {BodySchemaError} */
export function feedBody(reading: Reading): string {
  const known = feedTexts.get(reading)
  if (known !== undefined) return known
  const text = checkReading(toBody(reading), `the reading of feed "${reading.feed_id}"`)
  feedTexts.set(reading, text)
  return text
}

// The engine does not see how much memory the answers with an old list hold, and would let hundreds of MB pile up.
const LARGE_LIST = 1_000_000
const GC_DELAY_MS = 100

/** A list of readings as JSON text; written once per array, of texts written once per reading. @throws {BodySchemaError} */
export function feedsJson(readings: readonly Reading[]): string {
  const known = feedsTexts.get(readings)
  if (known !== undefined) return known
  const text = `{"count":${readings.length},"feeds":[${readings.map(feedBody).join(',')}]}`
  feedsTexts.set(readings, text)
  if (text.length > LARGE_LIST) setTimeout(Bun.gc, GC_DELAY_MS, true)
  return text
}
