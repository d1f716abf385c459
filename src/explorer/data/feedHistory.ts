import { type ReadonlySignal, signal } from '@preact/signals'
import { LRUCache } from 'lru-cache'
import { useEffect } from 'preact/hooks'
import type { HistoryItemBody, HistoryPageBody } from '../../api/schemas.ts'
import { shapeOf } from '../../api/shape.ts' with { type: 'macro' }
import { sleep } from '../../async/sleep.ts'
import { type Answer, type AnswerError, fetchAnswer } from './answers.ts'
import { faultOf } from './resource.ts'

export type HistoryItem = Readonly<HistoryItemBody>

/** The part of a feed's history that has been read. */
export interface FeedHistory {
  /** Newest first, without gaps. */
  readonly items: readonly HistoryItem[]
  /** Number of items read. `items` is updated in larger steps, because each update redraws the chart. */
  readonly read: number
  /** Number of items on the chain; null until it is known. */
  readonly count: number | null
  readonly isReading: boolean
  /** Why the newest request failed, or null. */
  readonly fault: AnswerError | null
}

const pageShape = shapeOf('historyPageBody')

interface HistoryReader {
  readonly history: ReadonlySignal<FeedHistory>
  /** Reads until `count` values are known, or all. */
  want(count: number): void
  /** Reads newer values if the feed's newest value has not been read yet. */
  follow(updatedAt: number): void
}

const NOTHING: FeedHistory = { items: [], read: 0, count: null, isReading: false, fault: null }

const PAGE = 1_000
/** Number of values to read automatically. More would take many megabytes. */
const FIRST_WANTED = 10_000
const RETRY_MS = 4_000

function createReader(feedId: string): HistoryReader {
  const path = `/v1/feeds/${encodeURIComponent(feedId)}/history`
  const newestPath = `${path}?limit=${PAGE}&order=desc`
  let items: HistoryItem[] = []
  let wanted = FIRST_WANTED
  /** The page of values before those that are known; null if there is none. */
  let earlier: string | null = newestPath
  let isNewerWanted = false
  /** Time of attestation of the newest known value. */
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

  function startOver(): void {
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
      // A restarted development chain has fewer values.
      if (page.count <= (items[0]?.index ?? -1)) return startOver()
      items = [...page.items.toReversed(), ...items]
      next = page.next
      publish({ items, read: items.length, count: page.count, fault: null })
    }
  }

  const isMoreWanted = (): boolean => earlier !== null && (items.length < wanted || earlier === newestPath)

  /** Reads until all wanted values are known. Retries after retryable errors. */
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
    // A component subscribed again while the last read was being aborted.
    if (signal.aborted && abort?.signal.aborted === false) void run()
  }

  /** Returns the wait before the next step in milliseconds, or null if a retry cannot help. */
  async function step(signal: AbortSignal): Promise<number | null> {
    try {
      // Newer values come first, but only after the newest page, which they follow.
      const page = isNewerWanted && earlier !== newestPath ? null : earlier
      if (page === null) await readNewer(signal)
      else await readEarlier(page, signal)
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

// A chart compares fewer feeds.
const readers = new LRUCache<string, HistoryReader>({ max: 8 })

function readerOf(feedId: string): HistoryReader {
  const reader = readers.get(feedId) ?? createReader(feedId)
  readers.set(feedId, reader)
  return reader
}

/** A feed whose history is followed; `updated_at` is null if it has no value. */
export interface FollowedFeed {
  readonly feed_id: string
  readonly updated_at: number | null
}

/** Returns the histories of the feeds in the same order, and keeps them up to date. */
export function useHistories(feeds: readonly FollowedFeed[]): readonly FeedHistory[] {
  const ids = JSON.stringify(feeds.map(({ feed_id }) => feed_id))
  const versions = JSON.stringify(feeds.map(({ updated_at }) => updated_at))
  useEffect(() => {
    for (const { feed_id, updated_at } of feeds) if (updated_at !== null) readerOf(feed_id).follow(updated_at)
  }, [ids, versions])
  return feeds.map(({ feed_id }) => readerOf(feed_id).history.value)
}

export const readHistory = (feedId: string, count: number): void => readerOf(feedId).want(count)
