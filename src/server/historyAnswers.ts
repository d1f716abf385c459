import { LRUCache } from 'lru-cache'
import type { FeedHistory } from '../history/feedHistory.ts'
import type { HistoryFormat, HistoryRequest } from './historyRequest.ts'
import type { Content } from './plugins/content.ts'

/** What was asked of one feed's history, or of those of several. */
export interface HistoryAsked extends HistoryRequest {
  readonly feedIds: readonly string[]
  readonly format: HistoryFormat
  /** Whether the rows are those of a table of several feeds, though it may have one. */
  readonly isTable: boolean
}

/** An answer, and where it continues. */
export interface HistoryAnswer {
  readonly content: Content
  /** What an address that pins its items names; null if it was not asked for. */
  readonly digest: string | null
  /** What to ask for next; null after the last page. */
  readonly next: Pick<HistoryAsked, 'feedIds' | 'query'> | null
}

// Measured with Bun: its headers, its promise, its place in the map.
const ANSWER_BYTES = 2_400

// The engine does not see how much memory texts hold, and would let hundreds of MB pile up.
const GC_AFTER_LENGTH = 8_000_000
const GC_DELAY_MS = 100

/** Keeps the last answers, up to a size; each is made once. */
export function createHistoryAnswers(maxBytes: number) {
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
    fetchMethod: async (_key, _stale, { context: create }) => {
      const answer = await create()
      collectGarbage(answer.content.body.length)
      return answer
    },
  })

  return {
    bytes: () => answers.calculatedSize,
    /** Returns the answer that is kept; else reads what it takes, and makes it. */
    async of<Read>(
      feeds: readonly FeedHistory[],
      asked: HistoryAsked,
      read: () => Promise<Read>,
      create: (found: Read) => Promise<HistoryAnswer>,
    ): Promise<HistoryAnswer> {
      const key = keyOf(feeds, asked)
      const kept = answers.get(key)
      if (kept !== undefined) return kept
      const found = await read()
      return answers.forceFetch(key, { context: () => create(found) })
    },
  }
}

// An answer holds on to no values, so that those of a forgotten feed leave the memory.
const identities = new WeakMap<object, number>()
let nextIdentity = 0

/** Tells the values of a feed from those that are read after they were forgotten, or of another chain. */
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
    feeds.map(({ feed: { decimals, unit, frequency }, count, values }) => [
      identityOf(values),
      pin === null ? count : 'pinned',
      decimals,
      unit,
      frequency,
    ]),
  ])
