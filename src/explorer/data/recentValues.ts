import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { shapeOf } from '../../api/shape.ts' with { type: 'macro' }
import { fetchAnswer } from './answers.ts'

/** A feed's newest values, one per period, oldest first. */
export type RecentValues = readonly number[]

interface Page {
  readonly items: readonly { period: number; value: number }[]
}

const VALUES = 60

const limit = pLimit(4)
const remembered = new LRUCache<string, RecentValues>({ max: 500 })

const historyShape = shapeOf('historyPageBody')

/**
 * Reads a feed's newest values, for at most four feeds at once. They are cached until the feed has a newer value.
 *
 * @param revision - changes with the feed's value
 * @throws {AnswerError}
 */
export async function recentValues(
  feedId: string,
  revision: number,
  signal: AbortSignal,
): Promise<RecentValues> {
  const key = `${revision} ${feedId}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  return limit(async () => {
    // The row may have scrolled out of view while it waited.
    signal.throwIfAborted()
    const path = `/v1/feeds/${encodeURIComponent(feedId)}/history?order=desc&limit=${VALUES}`
    const values = latestByPeriod((await fetchAnswer(path, historyShape, { signal })).body)
    remembered.set(key, values)
    return values
  })
}

/** Returns the latest value of each period, ordered by period. */
export function latestByPeriod({ items }: Page): RecentValues {
  const byPeriod = new Map<number, number>()
  // Items are newest first.
  for (const { period, value } of items) if (!byPeriod.has(period)) byPeriod.set(period, value)
  return [...byPeriod].sort(([one], [other]) => one - other).map(([, value]) => value)
}
