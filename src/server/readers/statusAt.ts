import type { Reading } from 'wattfeed'
import { type FeedStatus, statusOf } from '../../feeds/status/feedStatus.ts'
import { createObjectMemo } from '../http/memo.ts'

/** Returns the status of a reading at a time, in epoch milliseconds. */
export const statusAt = (reading: Reading, now: number): FeedStatus => prepared(reading)(now)

// The client returns the same objects until something changes on chain, so only the time is compared again.
const prepared = createObjectMemo((reading: Reading) => statusOf(reading))
