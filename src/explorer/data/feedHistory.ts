import { type ReadonlySignal, signal } from '@preact/signals'
import { LRUCache } from 'lru-cache'
import { useEffect } from 'preact/hooks'
import type { HistoryItemBody, HistoryPageBody } from '../../api/schemas.ts'
import { shapeOf } from '../../api/shape.ts' with { type: 'macro' }
import { sleep } from '../../async/sleep.ts'
import { type Answer, type AnswerError, fetchAnswer } from './answers.ts'
import { faultOf } from './resource.ts'

/** A value of a feed's history as the server writes it. */
export type HistoryItem = Readonly<HistoryItemBody>

/** What is read of a feed's history. */
export interface FeedHistory {
  /** The newest first, without a gap. */
  readonly items: readonly HistoryItem[]
  /** How many are read; `items` follows in larger steps, since each step is drawn. */
  readonly read: number
  /** How many the chain holds; null before that is known. */
  readonly count: number | null
  readonly isReading: boolean
  /** Why nothing is read at the moment, or null. */
  readonly fault: AnswerError | null
}

const pageShape = shapeOf('historyPageBody')

/** Reads a feed's history while a component reads `history`. */
interface HistoryReader {
  readonly history: ReadonlySignal<FeedHistory>
  /** Reads on until so many values are known, or all. */
  want(count: number): void
  /** Looks for newer values when the feed's newest one is not the one that was read last. */
  follow(updatedAt: number): void
}

const NOTHING: FeedHistory = { items: [], read: 0, count: null, isReading: false, fault: null }

const PAGE = 1_000
/** What is read without being asked for: more is many megabytes. */
const FIRST_WANTED = 10_000
const RETRY_MS = 4_000

function createReader(feedId: string): HistoryReader {
  const path = `/v1/feeds/${encodeURIComponent(feedId)}/history`
  const newestPath = `${path}?limit=${PAGE}&order=desc`
  let items: HistoryItem[] = []
  let wanted = FIRST_WANTED
  let earlier: string | null = newestPath
  let isNewerWanted = false
  /** When the newest value that was heard of was attested. */
  let heardOf = 0
  let abort: AbortController | null = null
  let isRunning = false

  const history = signal(NOTHING, {
    watched() {
      abort = new AbortController()
      void run()
    },
    unwatched: () => abort?.abort(),
  })

  const publish = (changes: Partial<FeedHistory>): void => {
    history.value = { ...history.value, ...changes }
  }

  function startAnew(): void {
    items = []
    earlier = newestPath
  }

  async function readEarlier(from: string, signal: AbortSignal): Promise<void> {
    const { body } = await fetchAnswer(from, pageShape, { signal, isRemembered: false })
    items.push(...body.items)
    earlier = body.next
    if (from === newestPath) isNewerWanted = (items[0]?.attested_at ?? heardOf) < heardOf
    const isDone = body.next === null || items.length >= wanted
    const isMuchMore = isDone || items.length >= 2 * history.value.items.length
    const count = Math.max(body.count, history.value.count ?? 0)
    publish({ read: items.length, count, fault: null, ...(isMuchMore ? { items: [...items] } : {}) })
  }

  async function readNewer(signal: AbortSignal): Promise<void> {
    isNewerWanted = false
    let next: string | null = `${path}?from=${(items[0]?.index ?? -1) + 1}&limit=${PAGE}`
    while (next !== null) {
      const { body: page }: Answer<HistoryPageBody> = await fetchAnswer(next, pageShape, {
        signal,
        isRemembered: false,
      })
      // A development chain that was restarted holds fewer.
      if (page.count <= (items[0]?.index ?? -1)) return startAnew()
      items = [...page.items.toReversed(), ...items]
      next = page.next
      publish({ items, read: items.length, count: page.count, fault: null })
    }
  }

  const isMoreWanted = (): boolean => earlier !== null && (items.length < wanted || earlier === newestPath)

  /** Reads until nothing is wanted any more; what fails is tried again while that may help. */
  async function run(): Promise<void> {
    const signal = abort?.signal
    if (isRunning || signal === undefined || signal.aborted) return
    isRunning = true
    publish({ isReading: true })
    while (!signal.aborted && (isNewerWanted || isMoreWanted())) {
      const waitMs = await step(signal)
      if (waitMs === null) break
      if (waitMs > 0) await sleep(waitMs, signal).catch(() => {})
    }
    isRunning = false
    publish({ isReading: false, ...(signal.aborted ? {} : { items: [...items] }) })
    // Followed again while the last read was being given up.
    if (signal.aborted && abort?.signal.aborted === false) void run()
  }

  /** Returns how long to wait before the next step, or null if it is of no use. */
  async function step(signal: AbortSignal): Promise<number | null> {
    try {
      if (earlier === newestPath || (!isNewerWanted && earlier !== null))
        await readEarlier(earlier ?? '', signal)
      else await readNewer(signal)
      return 0
    } catch (error) {
      if (signal.aborted) return 0
      const fault = faultOf(error)
      publish({ fault })
      return fault.retryable ? (fault.retryAfterMs ?? RETRY_MS) : null
    }
  }

  return {
    history,
    want(count) {
      wanted = Math.max(wanted, count)
      void run()
    },
    follow(updatedAt) {
      heardOf = updatedAt
      const [newest] = items
      if (newest === undefined || newest.attested_at === updatedAt) return
      isNewerWanted = true
      void run()
    },
  }
}

// More than are compared at once.
const readers = new LRUCache<string, HistoryReader>({ max: 8 })

function readerOf(feedId: string): HistoryReader {
  const reader = readers.get(feedId) ?? createReader(feedId)
  readers.set(feedId, reader)
  return reader
}

/** A feed whose history is followed; `updated_at` is null where it has no value. */
export interface FollowedFeed {
  readonly feed_id: string
  readonly updated_at: number | null
}

/** The histories of some feeds, in their order, kept up to date. */
export function useHistories(feeds: readonly FollowedFeed[]): readonly FeedHistory[] {
  const ids = JSON.stringify(feeds.map(({ feed_id }) => feed_id))
  const versions = JSON.stringify(feeds.map(({ updated_at }) => updated_at))
  useEffect(() => {
    for (const { feed_id, updated_at } of feeds) if (updated_at !== null) readerOf(feed_id).follow(updated_at)
  }, [ids, versions])
  return feeds.map(({ feed_id }) => readerOf(feed_id).history.value)
}

/** Reads on in a feed's history until so many values are known. */
export const readHistory = (feedId: string, count: number): void => readerOf(feedId).want(count)
