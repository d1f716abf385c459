import { signal } from '@preact/signals'
import { sleep } from '@wattfeed/base'
import { LRUCache } from 'lru-cache'
import { useEffect } from 'preact/hooks'
import type { HistoryItemBody, HistoryPageBody } from '../../../api/schemas.ts'
import { shapeOf } from '../../../api/shape.ts' with { type: 'macro' }
import { type AnswerError, faultOf, fetchAnswer, type ServerAnswer } from './answers.ts'

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

const NOTHING: FeedHistory = { items: [], read: 0, count: null, isReading: false, fault: null }

const PAGE = 1_000
/** Number of values to read automatically. More would take many megabytes. */
const FIRST_WANTED = 10_000
const RETRY_MS = 4_000

/** Reads a feed's history while a component shows it: the newest page first, then earlier ones, and newer values as they come. */
class HistoryReader {
  private readonly path: string
  private readonly newestPath: string
  private items: HistoryItem[] = []
  private wanted = FIRST_WANTED
  /** The page to read next: the newest one at first, then earlier ones; null after the oldest. */
  private nextPage: string | null
  private isNewerWanted = false
  /** Time of attestation of the newest known value. */
  private heardOf = 0
  private abort: AbortController | null = null
  private isRunning = false

  readonly history = signal(NOTHING, {
    watched: () => {
      this.abort = new AbortController()
      void this.run()
    },
    unwatched: () => this.abort?.abort(),
  })

  constructor(feedId: string) {
    this.path = `/v1/feeds/${encodeURIComponent(feedId)}/history`
    this.newestPath = `${this.path}?limit=${PAGE}&order=desc`
    this.nextPage = this.newestPath
  }

  /** Whether the newest page, which comes first, is still to be read. */
  private get isAtStart(): boolean {
    return this.nextPage === this.newestPath
  }

  /** Reads until `count` values are known, or all. */
  want(count: number): void {
    this.wanted = Math.max(this.wanted, count)
    void this.run()
  }

  /** Reads newer values if the feed's newest value has not been read yet. */
  follow(updatedAt: number): void {
    this.heardOf = updatedAt
    const [newest] = this.items
    if (newest === undefined || newest.attested_at === updatedAt) return
    this.isNewerWanted = true
    void this.run()
  }

  /** Reads until all wanted values are known. Retries after retryable errors. */
  private async run(): Promise<void> {
    const signal = this.abort?.signal
    if (this.isRunning || signal === undefined || signal.aborted) return
    this.isRunning = true
    this.publish({ isReading: true })
    while (!signal.aborted && (this.isNewerWanted || this.isMoreWanted())) {
      const waitMs = await this.step(signal)
      if (waitMs === null) break
      if (waitMs > 0) await sleep(waitMs, signal).catch(() => {})
    }
    this.isRunning = false
    this.publish({ isReading: false, ...(signal.aborted ? {} : { items: [...this.items] }) })
    // A component subscribed again while the last read was being aborted.
    if (signal.aborted && this.abort?.signal.aborted === false) void this.run()
  }

  private isMoreWanted(): boolean {
    return this.nextPage !== null && (this.items.length < this.wanted || this.isAtStart)
  }

  /** Returns the wait before the next step in milliseconds, or null if a retry cannot help. */
  private async step(signal: AbortSignal): Promise<number | null> {
    try {
      // Newer values come before earlier ones, but after the newest page, which they follow.
      const page = this.isNewerWanted && !this.isAtStart ? null : this.nextPage
      if (page === null) await this.readNewer(signal)
      else await this.readEarlier(page, signal)
      return 0
    } catch (error) {
      if (signal.aborted) return 0
      const fault = faultOf(error)
      this.publish({ fault })
      return fault.retryable ? (fault.retryAfterMs ?? RETRY_MS) : null
    }
  }

  private async readEarlier(page: string, signal: AbortSignal): Promise<void> {
    const { body } = await fetchAnswer(page, pageShape, { signal, isRemembered: false })
    const { items } = this
    items.push(...body.items)
    this.nextPage = body.next
    if (page === this.newestPath) this.isNewerWanted = (items[0]?.attested_at ?? this.heardOf) < this.heardOf
    const isDone = body.next === null || items.length >= this.wanted
    const { items: published, count } = this.history.value
    const isMuchMore = isDone || items.length >= 2 * published.length
    this.publish({
      read: items.length,
      count: Math.max(body.count, count ?? 0),
      fault: null,
      ...(isMuchMore ? { items: [...items] } : {}),
    })
  }

  private async readNewer(signal: AbortSignal): Promise<void> {
    this.isNewerWanted = false
    let next: string | null = `${this.path}?from=${(this.items[0]?.index ?? -1) + 1}&limit=${PAGE}`
    while (next !== null) {
      const { body: page }: ServerAnswer<HistoryPageBody> = await fetchAnswer(next, pageShape, {
        signal,
        isRemembered: false,
      })
      // A restarted development chain has fewer values.
      if (page.count <= (this.items[0]?.index ?? -1)) return this.startOver()
      this.items = [...page.items.toReversed(), ...this.items]
      next = page.next
      this.publish({ items: [...this.items], read: this.items.length, count: page.count, fault: null })
    }
  }

  private startOver(): void {
    this.items = []
    this.nextPage = this.newestPath
  }

  private publish(changes: Partial<FeedHistory>): void {
    this.history.value = { ...this.history.value, ...changes }
  }
}

// A chart compares fewer feeds.
const readers = new LRUCache<string, HistoryReader>({ max: 8 })

function readerOf(feedId: string): HistoryReader {
  const reader = readers.get(feedId) ?? new HistoryReader(feedId)
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
