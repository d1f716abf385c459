import {
  type AbortSignalLike,
  assertOptions,
  assertType,
  type Fetch,
  type OptionNames,
  parseJson,
  pauseMs,
  sleep,
  splitCredentials,
} from '@wattfeed/base'
import { isRecord } from '@wattfeed/casper/types'
import { assertDuration, parseHttpUrl } from '../client/argument.ts'
import { type Frame, readEventStream, StreamError } from './eventStream.ts'
import type { AttestedData, FeedData, LiveItem, SnapshotData } from './items.ts'
import { assertPosition, parsePosition } from './position.ts'
import { assertIds } from './watch.ts'

/** The stream ended and will reconnect after a pause. */
export interface ReconnectEvent {
  /** Why the stream ended; null if the server closed it normally. */
  readonly error: StreamError | null
  /** Number of attempts in a row that received nothing, from 1. */
  readonly failures: number
  /** Pause before the next attempt, in milliseconds. */
  readonly waitMs: number
}

/** Options of {@link watchServer}. */
export interface WatchServerOptions {
  /**
   * Ids of the feeds to watch.
   * @default all feeds, including those that are registered later
   */
  ids?: readonly string[] | undefined
  /**
   * Position to resume after: `position` of the last item that you processed.
   * @default the end of the logs, so that only new events are returned
   */
  from?: string | undefined
  /**
   * Whether to start with a `snapshot` item for each feed if there is no `from`, and after each `reset`. If the connection
   * breaks before the next position, the reset and the snapshot start over.
   * @default false
   */
  snapshot?: boolean | undefined
  /** Aborts the stream, which throws the signal's reason. */
  signal?: AbortSignalLike | undefined
  /**
   * Timeout of connecting, in milliseconds. A server may wait up to 60 s to catch up with the position.
   * @default 75000
   */
  connectTimeoutMs?: number | undefined
  /**
   * Maximum silence before the stream reconnects, in milliseconds. The server sends a heartbeat every 15 s.
   * @default 45000
   */
  silenceTimeoutMs?: number | undefined
  /**
   * First pause before reconnecting, in milliseconds. It doubles with each failure, up to `maxPauseMs`. Random jitter of up
   * to 100 % and the server's `Retry-After` (at most 5 minutes) are added.
   * @default 500
   */
  minPauseMs?: number | undefined
  /**
   * Longest pause before reconnecting, in milliseconds, without jitter and `Retry-After`.
   * @default 30000
   */
  maxPauseMs?: number | undefined
  /**
   * Function for HTTP requests.
   * @default globalThis.fetch
   */
  fetch?: Fetch | undefined
  /** Callbacks for metrics and logs. They must not throw. */
  observe?: { reconnect?: (event: ReconnectEvent) => void } | undefined
}

/**
 * Watches feeds through a server's event stream. Returns every event exactly once, in the order of its log.
 *
 * Reconnects when the connection breaks or stalls, and resumes at the last position, also at another server of the chain.
 * Reads only when the caller asks for the next item, so a slow caller needs no buffer. Never ends by itself.
 *
 * @example
 * ```ts
 * import { watchServer } from 'wattfeed/live'
 *
 * for await (const item of watchServer('http://127.0.0.1:3000', { ids: ['EIA.PET.PRICE.WTI.DAILY'] }))
 *   if (item.event === 'attested') console.log(item.position, item.data.period, item.data.value)
 * ```
 *
 * @param url - base URL of the server, such as `https://feeds.example.com`; a user and password in it are sent as a header
 * @throws {@link InvalidArgumentError} immediately, when the URL or an option is invalid.
 * @throws {@link StreamError} when an error is not `retryable`.
 * @throws The signal's reason when it aborts.
 */
export function watchServer(url: string, options: WatchServerOptions = {}): AsyncGenerator<LiveItem, void> {
  return follow(parseOptions(url, options))
}

const optionNames: OptionNames<WatchServerOptions> = {
  ids: 1,
  from: 1,
  snapshot: 1,
  signal: 1,
  connectTimeoutMs: 1,
  silenceTimeoutMs: 1,
  minPauseMs: 1,
  maxPauseMs: 1,
  fetch: 1,
  observe: 1,
}

function parseOptions(url: string, options: WatchServerOptions) {
  assertOptions(options, optionNames)
  const { ids = null, from = null, snapshot = false, observe = {} } = options
  const { signal = new AbortController().signal, fetch = (url, init) => globalThis.fetch(url, init) } =
    options
  const { connectTimeoutMs = 75_000, silenceTimeoutMs = 45_000 } = options
  const { minPauseMs = 500, maxPauseMs = 30_000 } = options
  const limits = { connectTimeoutMs, silenceTimeoutMs, minPauseMs, maxPauseMs }
  if (ids !== null) assertIds(ids)
  if (from !== null) assertPosition('from', from)
  for (const [name, ms] of Object.entries(limits)) assertDuration(name, ms)
  assertType('fetch', fetch, 'function')
  assertOptions(observe, { reconnect: 1 }, 'observe')
  const { stream, headers } = parseServerUrl(url, ids ?? [])
  return { stream, headers, from, snapshot, signal, fetch, observe, ...limits }
}

/** Returns the URL of the stream, with user and password moved to a header. */
function parseServerUrl(
  url: string,
  ids: readonly string[],
): { stream: URL; headers: Record<string, string> } {
  const { url: stream, headers } = splitCredentials(parseHttpUrl('url', url))
  stream.pathname = `${stream.pathname.replace(/\/+$/, '')}/v1/stream`
  for (const id of ids) stream.searchParams.append('id', id)
  return { stream, headers }
}

/** The checked options, with the stream's URL and headers. */
type StreamOptions = ReturnType<typeof parseOptions>

async function* follow(options: StreamOptions): AsyncGenerator<LiveItem, void> {
  const { signal, observe } = options
  let position = options.from
  for (let failures = 0; ; ) {
    let error: StreamError | null = null
    try {
      for await (const frames of readEventStream(urlFrom(position, options), options)) {
        failures = 0
        for (const frame of frames) {
          const item = decodeItem(frame)
          if (item === null) continue
          if (signal.aborted) throw signal.reason
          position = positionAfter(item, options) ?? position
          yield item
        }
      }
    } catch (cause) {
      if (!(cause instanceof StreamError && cause.retryable)) throw cause
      error = cause
    }
    failures += 1
    const waitMs = pauseMs(failures, options) + (error?.retryAfterMs ?? 0)
    observe.reconnect?.({ error, failures, waitMs })
    await sleep(waitMs, signal)
  }
}

/** Sends the position as a parameter, because the header `Last-Event-ID` would cause a CORS preflight in browsers. */
function urlFrom(position: string | null, { stream, snapshot }: StreamOptions): string {
  const url = new URL(stream)
  if (position !== null) url.searchParams.set('from', position)
  // The server ignores it if it can resume.
  if (snapshot) url.searchParams.set('snapshot', '1')
  return url.href
}

/** Returns where to resume after an item; null to keep the position, because the rest of a snapshot follows. */
function positionAfter(item: LiveItem, { snapshot }: StreamOptions): string | null {
  if (item.event === 'snapshot') return null
  if (item.event === 'reset') return snapshot ? null : item.data.position
  return item.position
}

/** Returns null for an unknown event, because newer servers may send others. */
function decodeItem({ id, event, data }: Frame): LiveItem | null {
  switch (event) {
    case 'attested':
      return { event, position: decodePosition(id), data: decodeData<AttestedData>(event, data) }
    case 'feed':
      return { event, position: decodePosition(id), data: decodeData<FeedData>(event, data) }
    case 'snapshot':
      return { event, data: decodeData<SnapshotData>(event, data) }
    case 'reset': {
      const { reason, position } = decodeJson(event, data)
      if (reason !== 'registry' && reason !== 'log') throw invalid(event)
      return { event, data: { reason, position: decodePosition(position) } }
    }
  }
  return id === null ? null : { event: 'position', position: decodePosition(id) }
}

function decodePosition(text: unknown): string {
  if (typeof text === 'string' && parsePosition(text) !== null) return text
  throw invalid('position')
}

function decodeData<T extends AttestedData | FeedData | SnapshotData>(event: string, text: string): T {
  const data = decodeJson(event, text)
  // The caller trusts the server in the other fields.
  return { ...data, amount: decodeAmount(event, data.amount) } as T
}

function decodeAmount(event: string, amount: unknown): bigint | null {
  if (amount === null) return null
  if (typeof amount === 'string' && /^\d+$/.test(amount)) return BigInt(amount)
  throw invalid(event)
}

function decodeJson(event: string, text: string): Record<string, unknown> {
  const json = parseJson(text)
  if (isRecord(json)) return json
  throw invalid(event)
}

const invalid = (what: string): StreamError =>
  new StreamError(
    `the server sent an invalid ${what}; check that the URL is a wattfeed server of the same version`,
    false,
  )
