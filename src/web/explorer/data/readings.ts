import { signal } from '@preact/signals'
import { sleep } from '@wattfeed/base'
import type { Reading } from 'wattfeed'
import { shapeOf } from '../../../api/shape.ts' with { type: 'macro' }
import type { Shape } from '../../../api/shape.ts'
import { AnswerError, faultOf, fetchAnswer, stateRoot } from './answers.ts'
import { addRecentValue, forgetRecentValues } from './recentValues.ts'
import { faultIn, hasShape } from './shape.ts'

/** A reading in the server's JSON. */
export type FeedReading = Omit<Reading, 'amount'> & {
  readonly amount: string
}

/** A feed whose reading does not have the expected shape. */
export interface UnreadableFeed {
  readonly feed_id: string
  readonly reason: string
}

/** All readings, and how fresh they are. */
export interface Readings {
  /** In registry order; null until they are known. */
  readonly feeds: readonly FeedReading[] | null
  readonly unreadable: readonly UnreadableFeed[]
  /** Why the newest request failed, or null. */
  readonly fault: AnswerError | null
  /** Whether changes arrive by the stream, instead of polling. */
  readonly isLive: boolean
  /** When the server last answered, in epoch milliseconds; null before that. */
  readonly heardAt: number | null
}

const nothing: Readings = { feeds: null, unreadable: [], fault: null, isLive: false, heardAt: null }

let unfollow = (): void => {}

/** All readings of this server. They are kept up to date while a component reads them and the page is visible. */
export const readings = signal(nothing, {
  watched() {
    unfollow = follow()
  },
  unwatched: () => unfollow(),
})

export const reloadReadings = (): Promise<void> => loadList()

const POLL_MS = 5_000
/** Also polls while streaming, because the stream does not report failures of the server's node. */
const CHECK_MS = 30_000
/** After a failure. */
const RETRY_MS = 2_000

const feedsShape = shapeOf('feedsBody')
const readingShape = shapeOf('readingBody')
/** The list without the shape of its readings, which are checked one by one. */
const listShape: Shape<{ feeds: readonly unknown[] }> = {
  ...feedsShape,
  properties: { ...feedsShape.properties, feeds: { type: 'array' } },
}

/** The newest list. An unchanged body is not checked again. */
let list: { body: object | null; feeds: readonly FeedReading[]; unreadable: readonly UnreadableFeed[] } = {
  body: null,
  feeds: [],
  unreadable: [],
}

/** Streamed readings that no list has included yet. */
const streamed = new Map<string, FeedReading>()

const update = (changes: Partial<Readings>): void => {
  readings.value = { ...readings.value, ...changes }
}

async function loadList(signal?: AbortSignal): Promise<void> {
  try {
    const { body } = await fetchAnswer('/v1/feeds', listShape, signal ? { signal } : {})
    if (body !== list.body) list = { body, ...checkReadings(body.feeds) }
    const { feeds, unreadable } = list
    update({ feeds: withStreamed(feeds), unreadable, fault: null, heardAt: Date.now() })
  } catch (error) {
    if (!signal?.aborted) update({ fault: faultOf(error) })
  }
}

/** Separates the readings from entries of another shape. @throws {AnswerError} when no entry is a reading */
function checkReadings(body: readonly unknown[]) {
  const feeds: FeedReading[] = []
  const unreadable: UnreadableFeed[] = []
  for (const [index, each] of body.entries()) {
    const reason = faultIn(readingShape, each)
    if (reason === null) feeds.push(each as FeedReading)
    else unreadable.push({ feed_id: String(Object(each).feed_id ?? `feed ${index + 1}`), reason })
  }
  if (feeds.length === 0 && unreadable.length > 0)
    throw new AnswerError(200, faultIn(feedsShape, { feeds: body, count: body.length }) ?? '', null)
  return { feeds, unreadable }
}

/** Follows while the page is visible. A hidden page would hold a connection that other tabs need. */
function follow(): () => void {
  let end: (() => void) | null = null
  const check = (): void => {
    if (document.visibilityState === 'visible') end ??= connect()
    else {
      end?.()
      end = null
    }
  }
  check()
  document.addEventListener('visibilitychange', check)
  return () => {
    document.removeEventListener('visibilitychange', check)
    end?.()
  }
}

function connect(): () => void {
  const abort = new AbortController()
  void keepUp(abort.signal)
  return () => abort.abort()
}

/** Returns whether the list was already read when the page was loaded. */
const isJustRead = (): boolean => Date.now() - (readings.value.heardAt ?? 0) < 1_000

/** Polls the list: rarely while the stream reports changes, soon after a failure. */
async function keepUp(signal: AbortSignal): Promise<void> {
  let isStreamed = false
  while (!signal.aborted) {
    if (!isJustRead()) await loadList(signal)
    if (!isStreamed && !signal.aborted) {
      isStreamed = true
      stream(signal)
    }
    await sleep(pauseMs(readings.value), signal).catch(() => {})
  }
}

function pauseMs({ fault, isLive }: Readings): number {
  if (fault !== null) return RETRY_MS
  return isLive ? CHECK_MS : POLL_MS
}

/** Follows the stream. When it opens, the list is read again for the changes before that. */
function stream(signal: AbortSignal): void {
  const source = new EventSource('/v1/stream')
  let frame = 0
  const merge = (): void => {
    frame = 0
    update({
      feeds: mergeReadings(readings.value.feeds ?? [], streamed),
      heardAt: Date.now(),
      fault: null,
    })
  }
  const take = ({ data }: MessageEvent<string>): void => {
    const reading = parseEvent(data)
    // The list does not contain registered feeds without a value.
    if (Object(reading).value === null) return
    if (!hasShape<StreamedReading>(readingShape, reading)) return void loadList(signal)
    streamed.set(reading.feed_id, reading)
    const { index } = reading
    if (index !== undefined) addRecentValue({ ...reading, index })
    if (reading.state_root_hash !== undefined) stateRoot.value = reading.state_root_hash
    frame ||= requestAnimationFrame(merge)
  }
  for (const name of ['attested', 'feed', 'snapshot']) source.addEventListener(name, take)
  source.addEventListener('reset', () => {
    streamed.clear()
    forgetRecentValues()
    void loadList(signal)
  })
  source.addEventListener('open', () => {
    update({ isLive: true })
    void loadList(signal)
  })
  source.addEventListener('error', () => {
    update({ isLive: false })
    // The error of the list shows the cause. The browser reconnects by itself, except after an answer that is not a
    // stream.
    void loadList(signal)
    if (source.readyState === EventSource.CLOSED)
      sleep(RETRY_MS, signal).then(
        () => stream(signal),
        () => {},
      )
  })
  signal.addEventListener('abort', () => {
    source.close()
    cancelAnimationFrame(frame)
  })
}

type StreamedReading = FeedReading & {
  readonly state_root_hash?: string
  /** Index in the feed's history, if the event is a new value. */
  readonly index?: number
}

/** Parses an event's data; null if it is not JSON. */
function parseEvent(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return null
  }
}

/** Replaces readings of a list with newer streamed ones. Forgets those that the list includes by now. */
function withStreamed(feeds: readonly FeedReading[]): readonly FeedReading[] {
  for (const { feed_id, updated_at } of feeds)
    if (updated_at >= (streamed.get(feed_id)?.updated_at ?? Number.POSITIVE_INFINITY))
      streamed.delete(feed_id)
  return streamed.size === 0 ? feeds : mergeReadings(feeds, streamed)
}

/** Replaces the readings of changed feeds, and appends new feeds. */
export function mergeReadings(
  feeds: readonly FeedReading[],
  changed: ReadonlyMap<string, FeedReading>,
): FeedReading[] {
  const added = new Map(changed)
  const merged = feeds.map((feed) => {
    const newer = added.get(feed.feed_id)
    added.delete(feed.feed_id)
    return newer ?? feed
  })
  return [...merged, ...added.values()]
}
