import { pauseMs } from '../async/retry.ts'
import { sleep } from '../async/sleep.ts'
import type { AbortSignalLike } from '../async/webTypes.ts'
import { splitCredentials } from '../bytes/credentials.ts'
import type { Fetch } from '../casper/rpc/postJson.ts'
import { assertDuration, assertType, parseRpcUrl } from '../client/argument.ts'
import { type Frame, readEventStream, StreamError } from './eventStream.ts'
import type { LiveItem } from './items.ts'
import { assertPosition, parsePosition } from './position.ts'
import { assertIds } from './watch.ts'

/** The stream ended and is opened again after a pause. */
export interface ReconnectEvent {
  /** Null if the server ended it in order. */
  readonly error: StreamError | null
  /** How often in a row, without anything received in between; from 1. */
  readonly failures: number
  readonly waitMs: number
}

export interface WatchServerOptions {
  /**
   * Feeds to follow.
   * @default all, also those that are registered later
   */
  ids?: readonly string[] | undefined
  /**
   * Where to resume: the `position` of the last item that you are done with.
   * @default what happens from now on
   */
  from?: string | undefined
  /**
   * Whether to begin with a `snapshot` item for each feed, if there is no `from`, and again after a `reset`. They begin
   * anew, and with them the reset, if the connection breaks before the next position.
   * @default false
   */
  snapshot?: boolean | undefined
  /** Ends the stream, with its reason. */
  signal?: AbortSignalLike | undefined
  /**
   * Limit for the server to answer, in milliseconds. It holds a position that it does not know yet for up to 60 s.
   * @default 75000
   */
  connectTimeoutMs?: number | undefined
  /**
   * Limit for silence, in milliseconds; then the connection counts as dead. The server beats every 15 s.
   * @default 45000
   */
  silenceTimeoutMs?: number | undefined
  /**
   * The first pause before the stream is opened again, in milliseconds. Doubles each time, plus up to 100 % random jitter
   * and what the server's `Retry-After` asks for, which is 5 minutes at most.
   * @default 500
   */
  minPauseMs?: number | undefined
  /** @default 30000 */
  maxPauseMs?: number | undefined
  /**
   * How to make HTTP requests.
   * @default globalThis.fetch
   */
  fetch?: Fetch | undefined
  /** Callbacks for metrics and logs. They must not throw. */
  observe?: { reconnect?: (event: ReconnectEvent) => void } | undefined
}

/**
 * Follows a server's stream: each event exactly once and in the log's order, however often the connection breaks or
 * stalls, and whichever server of the chain it is opened at again. Never ends by itself. Nothing is read before it is
 * asked for, so a slow reader costs no memory.
 *
 * @param url - the server's, such as `https://feeds.example.com`
 * @throws {InvalidArgumentError} at once.
 * @throws {StreamError} that is not `retryable`.
 * @throws the signal's reason if it aborts.
 *
 * @example
 * ```ts
 * for await (const item of watchServer('http://127.0.0.1:3000', { ids: ['EIA.PET.PRICE.WTI.DAILY'] }))
 *   if (item.event === 'attested') console.log(item.position, item.data.period, item.data.value)
 * ```
 */
export function watchServer(url: string, options: WatchServerOptions = {}): AsyncGenerator<LiveItem, void> {
  return follow(parseOptions(url, options))
}

function parseOptions(url: string, options: WatchServerOptions) {
  assertType('options', options, 'object')
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
  assertType('observe', observe, 'object')
  const { stream, headers } = parseServerUrl(url, ids ?? [])
  return { stream, headers, from, snapshot, signal, fetch, observe, ...limits }
}

/** Returns the URL of the feeds' stream. User and password become a header. */
function parseServerUrl(
  url: string,
  ids: readonly string[],
): { stream: URL; headers: Record<string, string> } {
  const { url: stream, headers } = splitCredentials(parseRpcUrl('url', url))
  stream.pathname = `${stream.pathname.replace(/\/+$/, '')}/v1/stream`
  for (const id of ids) stream.searchParams.append('id', id)
  return { stream, headers }
}

type Watched = ReturnType<typeof parseOptions>

async function* follow(watched: Watched): AsyncGenerator<LiveItem, void> {
  const { signal, observe } = watched
  let position = watched.from
  for (let failures = 0; ; ) {
    let error: StreamError | null = null
    try {
      for await (const frames of readEventStream(urlFrom(position, watched), watched)) {
        failures = 0
        for (const frame of frames) {
          const item = decodeItem(frame)
          if (item === null) continue
          if (signal.aborted) throw signal.reason
          position = positionAfter(item, watched) ?? position
          yield item
        }
      }
    } catch (cause) {
      if (!(cause instanceof StreamError && cause.retryable)) throw cause
      error = cause
    }
    failures += 1
    const waitMs = pauseMs(failures, watched) + (error?.retryAfterMs ?? 0)
    observe.reconnect?.({ error, failures, waitMs })
    await sleep(waitMs, signal)
  }
}

/** As a parameter: the header `Last-Event-ID` would make a browser ask a server of another origin for leave first. */
function urlFrom(position: string | null, { stream, snapshot }: Watched): string {
  const url = new URL(stream)
  if (position !== null) url.searchParams.set('from', position)
  // The server heeds it only where it cannot resume.
  if (snapshot) url.searchParams.set('snapshot', '1')
  return url.href
}

/** Where to resume after an item; null if where it was before, as the rest of a snapshot is still to come. */
function positionAfter(item: LiveItem, { snapshot }: Watched): string | null {
  if (item.event === 'snapshot') return null
  if (item.event === 'reset') return snapshot ? null : item.data.position
  return item.position
}

/** Returns null for an event that this version does not know: newer servers may send more. */
function decodeItem({ id, event, data }: Frame): LiveItem | null {
  switch (event) {
    case 'attested':
    case 'feed':
      return { event, position: decodePosition(id), data: decodeData(event, data) }
    case 'snapshot':
      return { event, data: decodeData(event, data) }
    case 'reset': {
      const { reason, position } = decodeJson(event, data)
      return { event, data: { reason, position: decodePosition(position) } }
    }
  }
  return id === null ? null : { event: 'position', position: decodePosition(id) }
}

function decodePosition(text: unknown): string {
  if (typeof text === 'string' && parsePosition(text) !== null) return text
  throw invalid('position')
}

function decodeData(event: string, text: string) {
  const data = decodeJson(event, text)
  if (data.amount !== null && !/^\d+$/.test(data.amount)) throw invalid(event)
  return { ...data, amount: data.amount === null ? null : BigInt(data.amount) }
}

function decodeJson(event: string, text: string) {
  try {
    return Object(JSON.parse(text))
  } catch {
    throw invalid(event)
  }
}

const invalid = (what: string): StreamError =>
  new StreamError(
    `the server sent an invalid ${what}; it is no wattfeed server, or of another version`,
    false,
  )
