import { LRUCache } from 'lru-cache'
import type { FeedHistory } from 'wattfeed/history'
import type { HistoryAnswer, HistoryAsked } from './historyAnswers.ts'

// Memory per entry besides key and body, measured with Bun.
const ANSWER_BYTES = 2_400

// Bun's garbage collector ignores the memory of strings. With 1,500 different pages of 1,000 rows, 8 requests at a time, the
// RSS peaks at 269 to 297 MB with these collections, and at 383 to 434 MB without.
const GC_AFTER_LENGTH = 8_000_000
const GC_DELAY_MS = 100

/** Creates a cache of recent responses with a limited size. Concurrent requests share one creation. */
export function createAnswerCache(maxBytes: number) {
  let created = 0

  function collectGarbage(length: number): void {
    created += length
    if (created <= GC_AFTER_LENGTH) return
    created = 0
    setTimeout(Bun.gc, GC_DELAY_MS, true)
  }

  const answers = new LRUCache<string, HistoryAnswer, () => Promise<HistoryAnswer>>({
    maxSize: Math.max(1, Math.floor(maxBytes)),
    sizeCalculation: ({ content }, key) => ANSWER_BYTES + key.length + content.body.length,
    // Otherwise an answer that leaves the full cache while it is made would be an error.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: create }) => {
      const answer = await create()
      collectGarbage(answer.content.body.length)
      return answer
    },
  })

  return {
    bytes: () => answers.calculatedSize,
    /** Returns the cached response, or creates one of what it reads. Each request reads by itself, at its own snapshot. */
    async getOrCreate<Read>(
      feeds: readonly FeedHistory[],
      asked: HistoryAsked,
      { read, create }: { read: () => Promise<Read>; create: (found: Read) => Promise<HistoryAnswer> },
    ): Promise<HistoryAnswer> {
      const key = keyOf(feeds, asked)
      const kept = answers.get(key)
      if (kept !== undefined) return kept
      const found = await read()
      return answers.forceFetch(key, { context: () => create(found) })
    },
  }
}

// Keys contain a number instead of the values, so that the values of an evicted feed can be collected.
const identities = new WeakMap<object, number>()
let nextIdentity = 0

/** Returns a number that differs if a feed's values were read again, after an eviction or from another chain. */
function identityOf(values: object): number {
  const identity = identities.get(values) ?? nextIdentity++
  identities.set(values, identity)
  return identity
}

const keyOf = (
  feeds: readonly FeedHistory[],
  { feedIds, format, query, pin, isTable }: HistoryAsked,
): string =>
  JSON.stringify([
    format,
    isTable,
    query,
    feedIds,
    feeds.map(({ feed: { decimals, unit, route, frequency }, count, values }) => [
      identityOf(values),
      pin === null ? count : 'pinned',
      decimals,
      unit,
      route,
      frequency,
    ]),
  ])
