import { setTimeout as sleep } from 'node:timers/promises'
import pRetry from 'p-retry'
import { createRedact } from '../bytes/redact.ts'
import { type EiaDataset, type FacetValue, parseDataset, parseFacets, parseFacetValues } from './dataset.ts'
import { EiaError, EiaThrottledError } from './eiaErrors.ts'
import { addSeries, apiUrl, type Fetch, sendEiaRequest } from './eiaRequest.ts'
import { member, textMember } from './parseJson.ts'
import { type EiaRow, parseRows, type Series } from './series.ts'

/** Reads EIA's API. Every method throws an {@link EiaError}, or the signal's reason once it is aborted. */
export interface EiaClient {
  /** The newest rows of a series, newest first; never none. @default length 1 */
  listNewestRows(series: Series, options?: { length?: number; signal?: AbortSignal }): Promise<EiaRow[]>
  /** What EIA says of a dataset (`GET /v2/{route}`). */
  getDataset(route: string, signal?: AbortSignal): Promise<EiaDataset>
  /** The ids of a dataset's facets (`GET /v2/{route}/facet`). */
  listFacets(route: string, signal?: AbortSignal): Promise<string[]>
  /** The values that a facet may be given (`GET /v2/{route}/facet/{id}`). */
  listFacetValues(route: string, facet: string, signal?: AbortSignal): Promise<FacetValue[]>
}

/** What a client tells while it works. */
export interface EiaObserver {
  /** An attempt is over; `error` is the code of what it threw, or null. */
  request?(event: { route: string; durationMs: number; error: string | null }): void
  /** EIA's warning beside an answer, such as "incomplete return". Not an error. */
  warning?(event: EiaWarning & { route: string }): void
}

export interface EiaClientOptions {
  /** `https://api.eia.gov`; may hold a path. */
  baseUrl: string
  apiKey: string
  /** Shared by all requests of the client; EIA suspends keys that ask 5 times a second. */
  requestsPerSecond: number
  /** For each attempt. @default 30_000 */
  timeoutMs?: number
  fetch?: Fetch
  /** Epoch milliseconds. @default a clock that never steps back */
  now?: () => number
  wait?: Wait
  /** From 0 (included) to 1 (excluded), for the jitter. @default Math.random */
  random?: () => number
  observe?: EiaObserver
}

const MAX_TRIES = 3
const MAX_BODY_BYTES = 5 * 2 ** 20
const FIRST_BACKOFF_MS = 1000
// Longer than this a fetch does not wait: the feed is tried again when it is next due.
const MAX_RETRY_AFTER_MS = 120_000

/**
 * A client of EIA's API v2.
 *
 * After HTTP 429 a request waits for as long as `Retry-After` says, or for a time that doubles and is jittered;
 * after the third in a row, or where EIA asks for more than two minutes, it fails. Redirects are refused,
 * because they would carry the key to another host.
 *
 * @example
 * ```ts
 * import { createEiaClient } from './createEiaClient.ts'
 *
 * const eia = createEiaClient({ baseUrl: 'https://api.eia.gov', apiKey, requestsPerSecond: 4 })
 * const [newest] = await eia.listNewestRows({
 *   route: 'petroleum/pri/spt',
 *   frequency: 'daily',
 *   column: 'value',
 *   facets: { series: 'RWTC' },
 * })
 * console.log(newest) // { period: '2026-11-16', value: '59.91', unit: '$/BBL', statedUnit: '$/BBL' }
 * ```
 */
export function createEiaClient(options: EiaClientOptions): EiaClient {
  const { baseUrl, apiKey, timeoutMs = 30_000, fetch = globalThis.fetch, observe = {} } = options
  const { now = steadyNow, wait = sleepFor, random = Math.random } = options
  const waitForTurn = createRateLimit({ requestsPerSecond: options.requestsPerSecond, now, wait })
  const strikeKey = createRedact([apiKey], '[api_key]')

  const attempt = async <T>(url: URL, { route, parse, signal }: Read<T>): Promise<T> => {
    const startedAt = now()
    const tell = (error: string | null) => observe.request?.({ route, durationMs: now() - startedAt, error })
    const request = { url, route, fetch, timeoutMs, maxBodyBytes: MAX_BODY_BYTES, now, strikeKey, signal }
    try {
      const { body, status } = await sendEiaRequest(request)
      for (const warning of parseWarnings(body)) observe.warning?.({ route, ...warning })
      const result = parse(body, status)
      tell(null)
      return result
    } catch (error) {
      if (error instanceof EiaError) tell(error.code)
      throw error
    }
  }

  const get = <T>(url: URL, read: Read<T>): Promise<T> =>
    pRetry(
      async () => {
        await waitForTurn(read.signal)
        return attempt(url, read)
      },
      {
        retries: MAX_TRIES - 1,
        // Its own timers cannot be handed in.
        minTimeout: 0,
        onFailedAttempt: async ({ error, retriesConsumed, retriesLeft }) => {
          const backoffMs = throttleBackoffMs(error, retriesConsumed, random)
          if (backoffMs === null || retriesLeft === 0) throw error
          await wait(backoffMs, read.signal)
        },
      },
    )

  const urlOf = (path: string) => apiUrl(baseUrl, path, apiKey)
  return {
    async listNewestRows(series, { length = 1, signal } = {}) {
      const { route } = series
      const url = urlOf(`${route}/data`)
      addSeries(url, series, length)
      const parse: Parse<EiaRow[]> = (body, status) => parseRows(body, series, status)
      return (await get(url, { route, parse, signal })).slice(0, length)
    },
    getDataset(route, signal) {
      const parse: Parse<EiaDataset> = (body, status) => parseDataset(body, route, status)
      return get(urlOf(route), { route, parse, signal })
    },
    listFacets(route, signal) {
      const parse: Parse<string[]> = (body, status) => parseFacets(body, route, status)
      return get(urlOf(`${route}/facet`), { route, parse, signal })
    },
    listFacetValues(route, facet, signal) {
      const parse: Parse<FacetValue[]> = (body, status) => parseFacetValues(body, route, status)
      return get(urlOf(`${route}/facet/${encodeURIComponent(facet)}`), { route, parse, signal })
    },
  }
}

/** Turns a body into what was asked for, or throws an {@link EiaError}. */
type Parse<T> = (body: unknown, status: number) => T

interface Read<T> {
  route: string
  parse: Parse<T>
  signal: AbortSignal | undefined
}

/** How long to leave EIA alone before the next try; null where there is to be none. */
function throttleBackoffMs(error: Error, retries: number, random: () => number): number | null {
  if (!(error instanceof EiaThrottledError)) return null
  const { retryAfterMs } = error
  if (retryAfterMs !== null) return retryAfterMs <= MAX_RETRY_AFTER_MS ? retryAfterMs : null
  return FIRST_BACKOFF_MS * 2 ** retries * (1 + random())
}

/** Epoch milliseconds that a correction of the system's clock does not set back. */
function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}

async function sleepFor(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  }
}

/** Waits; an abort of the signal ends it with a rejection. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>

/**
 * Spaces requests evenly: a function that resolves when the next one may be sent, to each in its turn.
 *
 * @param options.now - epoch milliseconds
 */
export function createRateLimit(options: {
  requestsPerSecond: number
  now: () => number
  wait: Wait
}): (signal?: AbortSignal) => Promise<void> {
  const { now, wait } = options
  const spacingMs = 1000 / options.requestsPerSecond
  let freeAt = Number.NEGATIVE_INFINITY
  return async (signal) => {
    const turn = Math.max(freeAt, now())
    freeAt = turn + spacingMs
    const delayMs = turn - now()
    if (delayMs > 0) await wait(delayMs, signal)
  }
}

/** A warning beside an answer. */
export interface EiaWarning {
  readonly warning: string
  readonly description: string
}

/** The warnings of an answer, which EIA puts at its top or into `response`. */
function parseWarnings(body: unknown): EiaWarning[] {
  const lists = [member(body, 'warnings'), member(member(body, 'response'), 'warnings')]
  return lists
    .flatMap((list: unknown): unknown[] => (Array.isArray(list) ? list : []))
    .map((item) => ({
      warning: textMember(item, 'warning') ?? '',
      description: textMember(item, 'description') ?? '',
    }))
}
