import { type FeedsBody, readingBody } from '../../api/schemas.ts'
import { type Reading, readingToJson } from '../../client/index.ts'
import { createChainDataCheck } from '../http/strictSchemas.ts'
import { createObjectMemo } from '../http/memo.ts'

const checkReading = createChainDataCheck(readingBody)

// The client returns the same objects until something changes on chain, and so do these functions.

export const feedBody = createObjectMemo((reading: Reading) =>
  checkReading(readingToJson(reading), `the reading of feed "${reading.feed_id}"`),
)

export const feedsBodyOf = createObjectMemo(
  (readings: readonly Reading[]): FeedsBody => ({ count: readings.length, feeds: readings.map(feedBody) }),
)
