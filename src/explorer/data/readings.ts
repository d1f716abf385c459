import { signal } from '@preact/signals'
import { shapeOf } from '../../api/shape.ts' with { type: 'macro' }
import type { Shape } from '../../api/shape.ts'
import { sleep } from '../../async/sleep.ts'
import type { Reading } from '../../client/index.ts'
import { AnswerError, fetchAnswer, stateRoot } from './answers.ts'
import { faultOf } from './resource.ts'
import { faultIn, hasShape } from './shape.ts'

/** A reading as the server writes it. */
export type FeedReading = Omit<Reading, 'amount'> & {
  /** Decimal digits. */
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
  /** Why what is shown may be old, or null. */
  readonly fault: AnswerError | null
  /** Whether changes come by the stream, and not by asking. */
  readonly isLive: boolean
  /** When the server was last heard of, in epoch milliseconds; null before. */
  readonly heardAt: number | null
}

const nothing: Readings = { feeds: null, unreadable: [], fault: null, isLive: false, heardAt: null }

let unfollow = (): void => {}

/** All readings of this server, kept up to date while a component reads them and the page is visible. */
export const readings = signal(nothing, {
  watched() {
    unfollow = follow()
  },
  unwatched: () => unfollow(),
})

/** Asks for all readings now. */
export const reloadReadings = (): Promise<void> => loadList()

const POLL_MS = 5_000
/** A stream does not tell that the server's node fails. */
const CHECK_MS = 30_000
/** After a failure. */
const RETRY_MS = 2_000

const feedsShape = shapeOf('feedsBody')
const readingShape = shapeOf('readingBody')
/** The list, whose readings are checked one by one. */
const listShape: Shape<{ feeds: readonly unknown[] }> = {
  ...feedsShape,
  properties: { ...feedsShape.properties, feeds: { type: 'array' } },
}

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

/** The newest list, checked: the same body is not checked again. */
let list: { body: object | null; feeds: readonly FeedReading[]; unreadable: readonly UnreadableFeed[] } = {
  body: null,
  feeds: [],
  unreadable: [],
}

/** Tells the readings from what has another shape. @throws {AnswerError} if none can be read */
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

/** Follows while the page is visible: a hidden one would hold a connection that other tabs of the reader need. */
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

/** Whether the list was read as the page was loaded. */
const isJustRead = (): boolean => Date.now() - (readings.value.heardAt ?? 0) < 1_000

/** Reads the list again and again: seldom while a stream tells what changes, soon after a failure. */
async function keepUp(signal: AbortSignal): Promise<void> {
  let isStreamed = false
  while (!signal.aborted) {
    if (!isJustRead()) await loadList(signal)
    if (!isStreamed && !signal.aborted) {
      isStreamed = true
      stream(signal)
    }
    const { fault, isLive } = readings.value
    await sleep(fault !== null ? RETRY_MS : isLive ? CHECK_MS : POLL_MS, signal).catch(() => {})
  }
}

/** Follows the stream. What happened before it opened is in the list, which is therefore read again then. */
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
    // A feed that is registered and has no value yet is not in the list.
    if (Object(reading).value === null) return
    if (!hasShape<StreamedReading>(readingShape, reading)) return void loadList(signal)
    streamed.set(reading.feed_id, reading)
    if (reading.state_root_hash !== undefined) stateRoot.value = reading.state_root_hash
    frame ||= requestAnimationFrame(merge)
  }
  for (const name of ['attested', 'feed', 'snapshot']) source.addEventListener(name, take)
  source.addEventListener('reset', () => {
    streamed.clear()
    void loadList(signal)
  })
  source.addEventListener('open', () => {
    update({ isLive: true })
    void loadList(signal)
  })
  source.addEventListener('error', () => {
    update({ isLive: false })
    // Says why; the browser connects again by itself, except after an answer that is no stream.
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

type StreamedReading = FeedReading & { readonly state_root_hash?: string }

/** Parses an event's data; null if it is no JSON. */
function parseEvent(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return null
  }
}

/** What the stream told and no list has included yet. */
const streamed = new Map<string, FeedReading>()

/** Puts what the stream told over a list that was read before. */
function withStreamed(feeds: readonly FeedReading[]): readonly FeedReading[] {
  for (const { feed_id, updated_at } of feeds)
    if (updated_at >= (streamed.get(feed_id)?.updated_at ?? Number.POSITIVE_INFINITY))
      streamed.delete(feed_id)
  return streamed.size === 0 ? feeds : mergeReadings(feeds, streamed)
}

/** Puts readings in place of those of the same feeds; new feeds come last. */
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
