import { type Reading, readingToJson } from 'wattfeed'
import { readingBody } from '../../api/schemas.ts'
import { ChainDataError, createBodyCheck } from '../http/bodyCheck.ts'
import { createObjectMemo } from '../http/memo.ts'

const checkReading = createBodyCheck(readingBody, ChainDataError)

/** Returns a reading as JSON. The client returns the same object until something changes on chain, and so does this function. */
export const readingBodyOf = createObjectMemo((reading: Reading) =>
  checkReading(readingToJson(reading), `the reading of feed "${reading.feed_id}"`),
)
