import {
  assertOptions,
  createRedact,
  InvalidArgumentError,
  memberAt,
  type OptionNames,
  sleep,
  WattfeedError,
} from '@wattfeed/base'
import { addDatasetQuery, type DatasetPage, type DatasetQuery, parseDatasetPage } from './datasetPage.ts'
import { EiaError, EiaThrottledError, EiaUnexpectedError, shorten } from './eiaErrors.ts'
import { addSeries, apiUrl, type Fetch, type Section, sendEiaRequest } from './eiaRequest.ts'
import { type FacetValue, parseFacetValues } from './facetValue.ts'
import { inspectPage, type SeriesInspection } from './inspectPage.ts'
import { listRowsSince, type ReadPage, type RowsSince, type RowsSinceOptions } from './listRowsSince.ts'
import { textMember } from './parseExactJson.ts'
import { createRateLimit } from './rateLimit.ts'
import { type EiaRow, type Page, parsePage, rowsOfSeries, type Series } from './series.ts'
import { createThrottle, type ThrottledEvent, type Wait } from './throttle.ts'

/**
 * Reads EIA's API. Every method throws an {@link EiaError}, a `PeriodError` if rows cannot be sorted, or the signal's reason
 * after an abort.
 *
 * Rows of a series are those of the series only: the first row must match its facets, and other rows that do not match are dropped. The rows
 * have one value in each open facet and distinct periods, newest first.
 */
export interface EiaClient {
  /** The newest rows of a series, newest first. @default length 1 */
  listNewestRows(series: Series, options?: RowsOptions): Promise<EiaRow[]>
  /** The rows of a series that are later than a period, newest first. See {@link listRowsSince}. */
  listRowsSince(series: Series, options?: RowsSinceOptions): Promise<RowsSince>
  /** Whether the newest rows are one series, and which facets must be pinned. @default length 2000 */
  inspectSeries(series: Series, options?: RowsOptions): Promise<SeriesInspection>
  /**
   * Some rows of a whole dataset with several columns, newest first, and the number of all rows (`GET /v2/{route}/data`). At most
   * 5,000 rows come in one answer. EIA may change its rows between two pages.
   *
   * @example
   * ```ts
   * import type { EiaClient } from '@wattfeed/eia'
   *
   * async function readNewest(eia: EiaClient): Promise<string> {
   *   const query = { route: 'petroleum/pri/spt', frequency: 'daily', columns: ['value'], start: null }
   *   const facets = ['duoarea', 'product', 'process', 'series']
   *   const { rows, total } = await eia.readDatasetPage({ ...query, facets }, { offset: 0, length: 1 })
   *   return `${rows[0]?.values[0]?.value} is one of ${total} values`
   * }
   * ```
   */
  readDatasetPage(query: DatasetQuery, section: Section, signal?: AbortSignal): Promise<DatasetPage>
  /**
   * What EIA says of a dataset or of a level of its routes (`GET /v2/{route}`): the `response` as sent, with numbers as texts. The route of
   * the highest level is empty.
   */
  readMetadata(route: string, signal?: AbortSignal): Promise<Readonly<Record<string, unknown>>>
  /** The allowed values of a facet (`GET /v2/{route}/facet/{id}`). */
  listFacetValues(route: string, facet: string, signal?: AbortSignal): Promise<FacetValue[]>
}

/** How many of the newest rows to read. */
export interface RowsOptions {
  /** Maximum number of rows. */
  length?: number
  signal?: AbortSignal
}

/** Functions that a client calls about its requests. */
export interface EiaObserver {
  /** A request has ended. `error` is the `code` of its error; null after a success. Not called for an aborted request. */
  request?(event: { route: string; durationMs: number; error: string | null }): void
  /** All requests are paused. Called once, not for each waiting request. */
  throttled?(event: ThrottledEvent): void
  /** A warning in an answer, such as "incomplete return". Not an error. Called once for each series. */
  warning?(event: EiaWarning & { route: string }): void
}

/** Options of {@link createEiaClient}. */
export interface EiaClientOptions {
  /** `https://api.eia.gov`; may hold a path. */
  baseUrl: string
  /** A key for EIA's API, free at https://www.eia.gov/opendata/register.php */
  apiKey: string
  /** Shared by all requests of the client. EIA suspends keys that send 5 requests a second. */
  requestsPerSecond: number
  /** For each attempt. @default 30_000 */
  timeoutMs?: number
  fetch?: Fetch
  /** Epoch milliseconds. @default a monotonic clock */
  now?: () => number
  wait?: Wait
  /**
   * If EIA asks for a longer pause, or for the third in a row, all requests fail until it ends. For programs that run once.
   * Otherwise requests wait, for a minute at most, and retry. @default Infinity
   */
  giveUpAfterMs?: number
  observe?: EiaObserver
}

const optionNames: OptionNames<EiaClientOptions> = {
  baseUrl: 1,
  apiKey: 1,
  requestsPerSecond: 1,
  timeoutMs: 1,
  fetch: 1,
  now: 1,
  wait: 1,
  giveUpAfterMs: 1,
  observe: 1,
}

const observerNames: OptionNames<EiaObserver> = { request: 1, throttled: 1, warning: 1 }

const rowsOptionNames: OptionNames<RowsOptions> = { length: 1, signal: 1 }

const MAX_TRIES = 3
const MAX_BODY_BYTES = 5 * 2 ** 20
// 5,000 rows with several columns, and the name of every facet.
const MAX_DATASET_BODY_BYTES = 32 * 2 ** 20
// Per response.
const MAX_WARNINGS = 10
const LONGEST_WARNING = 500
const INCOMPLETE = 'incomplete return'
// When there are more, all are forgotten.
const MAX_WARNED = 1000

/**
 * A client of EIA's API v2.
 *
 * After HTTP 429, or the code `OVER_RATE_LIMIT`, no request is sent for the time in `Retry-After`, a minute at most, or for
 * 30 seconds without that header. Then all requests resume. The third time in a row, a request fails. Redirects are rejected,
 * because they would send the key to another host.
 *
 * @example
 * ```ts
 * import { createEiaClient } from '@wattfeed/eia'
 *
 * async function readWti(apiKey: string): Promise<string | null> {
 *   const eia = createEiaClient({ baseUrl: 'https://api.eia.gov', apiKey, requestsPerSecond: 2 })
 *   const series = { route: 'petroleum/pri/spt', frequency: 'daily', column: 'value', facets: { series: 'RWTC' } }
 *   const [row] = await eia.listNewestRows(series)
 *   return row?.value ?? null // '70.04', every digit as EIA sent it; null if EIA withholds the value
 * }
 * ```
 *
 * @throws {InvalidArgumentError} without a key, or for an option that does not exist.
 */
export function createEiaClient(options: EiaClientOptions): EiaClient {
  assertEiaOptions(options)
  const { baseUrl, apiKey, timeoutMs = 30_000, fetch = globalThis.fetch, observe = {} } = options
  const { now = steadyNow, wait = sleep, giveUpAfterMs = Number.POSITIVE_INFINITY } = options
  const waitForTurn = createRateLimit({ requestsPerSecond: options.requestsPerSecond, now, wait })
  const onThrottled = (event: ThrottledEvent) => observe.throttled?.(event)
  const throttle = createThrottle({ now, wait, waitForTurn, giveUpAfterMs, onThrottled })
  const redactKey = createRedact([apiKey], '[api_key]')

  const warned = new Set<string>()
  const warnOnce = ({ route, series, mayBeIncomplete = false }: Read<unknown>, warning: EiaWarning): void => {
    if (mayBeIncomplete && warning.warning === INCOMPLETE) return
    const key = JSON.stringify([route, series, warning.warning])
    if (warned.has(key)) return
    if (warned.size >= MAX_WARNED) warned.clear()
    warned.add(key)
    observe.warning?.({ route, ...warning })
  }

  const attempt = async <T>(url: URL, read: Read<T>): Promise<T> => {
    const { route, parse, maxBodyBytes = MAX_BODY_BYTES, signal } = read
    const startedAt = now()
    const reportRequest = (error: string | null) =>
      observe.request?.({ route, durationMs: now() - startedAt, error })
    const request = { url, route, fetch, timeoutMs, maxBodyBytes, now, redactKey, signal }
    try {
      const { body, status } = await sendEiaRequest(request)
      throttle.answered()
      for (const warning of parseWarnings(body)) warnOnce(read, warning)
      const result = parse(body, status)
      reportRequest(null)
      return result
    } catch (error) {
      // Not the reason of an abort.
      if (error instanceof WattfeedError) reportRequest(error.code)
      throw error
    }
  }

  /** Retries a throttled request. The throttle makes it wait, together with all others, so there is no pause here. */
  async function get<T>(url: URL, read: Read<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      await throttle.pass(read.route, read.signal)
      try {
        return await attempt(url, read)
      } catch (error) {
        const isThrottled = error instanceof EiaThrottledError && throttle.stop(error)
        if (!isThrottled || tries === MAX_TRIES) throw error
      }
    }
  }

  const urlOf = (path: string) => apiUrl(baseUrl, path, apiKey)
  const readPage: ReadPage = (series, section, parse, signal) => {
    const { route, frequency, column, facets } = series
    const url = urlOf(`${route}/data`)
    addSeries(url, series, section)
    const parseBody = (body: unknown, status: number) => parse(parsePage(body, series, status))
    return get(url, { route, series: { frequency, column, facets }, parse: parseBody, signal })
  }
  return {
    async listNewestRows(series, options = {}) {
      assertOptions(options, rowsOptionNames)
      const { length = 1, signal } = options
      const parse = (page: Page) => rowsOfSeries(page, series)
      const rows = await readPage(series, { offset: 0, length }, parse, signal)
      // A server may ignore the length.
      return rows.slice(0, length)
    },
    listRowsSince: (series, options = {}) => listRowsSince(readPage, series, options),
    async inspectSeries(series, options = {}) {
      assertOptions(options, rowsOptionNames)
      const { length = 2000, signal } = options
      return readPage(series, { offset: 0, length }, (page) => inspectPage(page, series, length), signal)
    },
    readDatasetPage(query, section, signal) {
      const { route, frequency, columns } = query
      const url = urlOf(`${route}/data`)
      addDatasetQuery(url, query, section)
      const parse: Parse<DatasetPage> = (body, status) =>
        parseDatasetPage(body, query, { status, offset: section.offset })
      const series = { frequency, columns }
      const page = { maxBodyBytes: MAX_DATASET_BODY_BYTES, mayBeIncomplete: true }
      return get(url, { route, series, parse, ...page, signal })
    },
    readMetadata: (route, signal) =>
      get(urlOf(route), { route, parse: (body, status) => parseMetadata(body, route, status), signal }),
    listFacetValues(route, facet, signal) {
      const parse: Parse<FacetValue[]> = (body, status) => parseFacetValues(body, route, status)
      return get(urlOf(`${route}/facet/${encodeURIComponent(facet)}`), { route, parse, signal })
    },
  }
}

/** @throws {InvalidArgumentError} */
function assertEiaOptions(options: EiaClientOptions): void {
  assertOptions(options, optionNames)
  assertOptions(options.observe ?? {}, observerNames, 'observe')
  const { apiKey } = options
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new InvalidArgumentError(
      'apiKey',
      "a key for EIA's API, which is free at https://www.eia.gov/opendata/register.php",
    )
}

/** Parses a body, or throws an {@link EiaError}. */
type Parse<T> = (body: unknown, status: number) => T

interface Read<T> {
  route: string
  /** The requested series, if any. */
  series?: object | undefined
  parse: Parse<T>
  /** @default 5 MiB */
  maxBodyBytes?: number
  /** Whether an answer without all rows is expected. @default false */
  mayBeIncomplete?: boolean
  signal: AbortSignal | undefined
}

/** The `response` of a body. @throws {EiaUnexpectedError} */
function parseMetadata(body: unknown, route: string, status: number): Readonly<Record<string, unknown>> {
  const response = memberAt(body, 'response')
  if (typeof response === 'object' && response !== null && !Array.isArray(response)) return { ...response }
  throw new EiaUnexpectedError({ route, status, missing: 'response' })
}

/** Epoch milliseconds, monotonic even if the system clock is corrected. */
const steadyNow = (): number => performance.timeOrigin + performance.now()

/** A warning in an answer. Long texts are cut. */
export interface EiaWarning {
  readonly warning: string
  readonly description: string
}

/** The first warnings of an answer, at its top level or in `response`. */
function parseWarnings(body: unknown): EiaWarning[] {
  const lists = [memberAt(body, 'warnings'), memberAt(body, 'response', 'warnings')]
  return lists
    .flatMap((list: unknown): unknown[] => (Array.isArray(list) ? list : []))
    .slice(0, MAX_WARNINGS)
    .map((item) => ({
      warning: shorten(textMember(item, 'warning') ?? '', LONGEST_WARNING),
      description: shorten(textMember(item, 'description') ?? '', LONGEST_WARNING),
    }))
}
