import {
  type AbortSignalLike,
  codeOfError,
  jsonExcess,
  limitTime,
  memberAt,
  parseRetryAfter,
  type RefusalKind,
  readText,
  uncompressed,
} from '@wattfeed/base'
import {
  EiaEmptyBodyError,
  EiaError,
  EiaHtmlError,
  EiaKeyError,
  EiaNotJsonError,
  EiaReportedError,
  EiaStatusError,
  EiaThrottledError,
  EiaTimeoutError,
  EiaTooLargeError,
  EiaUnreachableError,
  shorten,
} from './eiaErrors.ts'
import { parseExactJson, textMember } from './parseExactJson.ts'
import type { Series } from './series.ts'

/** The part of `fetch` that the EIA client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface EiaAnswer {
  /** From `parseExactJson`: numbers are texts, and no text holds the key. */
  readonly body: unknown
  readonly status: number
}

export interface EiaRequest {
  readonly url: URL
  readonly route: string
  readonly fetch: Fetch
  readonly timeoutMs: number
  readonly maxBodyBytes: number
  readonly now: () => number
  /** Redacts the key in a text. */
  readonly redactKey: (text: string) => string
  readonly signal?: AbortSignal | undefined
}

const LONGEST_MESSAGE = 500
const DEFAULT_RETRY_AFTER_MS = 30_000
const LAST_DATE_MS = 8.64e15
// EIA's gateway also uses HTTP 403 for this.
const OVER_RATE_LIMIT = 'OVER_RATE_LIMIT'
const HEADERS = { accept: 'application/json', ...uncompressed.headers }
const HTML = /^\s*<(?:!doctype|html|head|body)\b/i

/** Sends the request. Throws an {@link EiaError}, or the signal's reason once it is aborted. */
export async function sendEiaRequest(request: EiaRequest): Promise<EiaAnswer> {
  const { route, timeoutMs, signal } = request
  const progress: Progress = { status: null }
  const error = () => new EiaTimeoutError({ route, status: progress.status, timeoutMs })
  try {
    return await limitTime({ timeoutMs, error, signal }, (time) => receive(request, time.signal, progress))
  } catch (error) {
    if (error instanceof EiaError) throw error
    if (signal?.aborted) throw signal.reason
    // Not as `cause`: the runtime's error contains the URL, and so the key.
    throw new EiaUnreachableError({ route, status: progress.status, reason: codeOfError(error) })
  }
}

interface Progress {
  status: number | null
}

async function receive(request: EiaRequest, signal: AbortSignalLike, progress: Progress): Promise<EiaAnswer> {
  const { route, maxBodyBytes } = request
  const init = { ...uncompressed, headers: HEADERS, redirect: 'manual', signal } as const
  const response = await request.fetch(String(request.url), init)
  const { status } = response
  progress.status = status
  if (status === 429) {
    await response.body?.cancel()
    throw throttledError(request, response)
  }
  const refuse = (_: string, kind: RefusalKind): EiaError =>
    kind === 'compressed'
      ? new EiaNotJsonError({ route, status })
      : new EiaTooLargeError({ route, status, maxBytes: maxBodyBytes })
  const text = await readText(response, maxBodyBytes, refuse)
  return { body: parseBody(text, response, request), status }
}

function throttledError({ route, now }: EiaRequest, { status, headers }: Response): EiaThrottledError {
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), Number.MAX_SAFE_INTEGER, now())
  const askAgainMs = Math.min(now() + (retryAfterMs ?? DEFAULT_RETRY_AFTER_MS), LAST_DATE_MS)
  return new EiaThrottledError({ route, status, retryAfterMs, askAgainMs })
}

function parseBody(text: string, response: Response, request: EiaRequest): unknown {
  const { route, redactKey } = request
  const { ok, status, headers } = response
  const body = tryParse(text, redactKey)
  const error = memberAt(body, 'error')
  if (error !== undefined && error !== null) {
    const reported = reportedError(request, status, body, error)
    throw reported.eiaCode === OVER_RATE_LIMIT ? throttledError(request, response) : reported
  }
  if (!ok) throw new EiaStatusError({ route, status })
  if (text.trim() === '') throw new EiaEmptyBodyError({ route, status })
  if (body !== undefined) return body
  const isHtml = HTML.test(text) || headers.get('content-type')?.includes('html') === true
  throw isHtml ? new EiaHtmlError({ route, status }) : new EiaNotJsonError({ route, status })
}

/** The parsed text, or undefined if it is not JSON. */
function tryParse(text: string, mapText: (text: string) => string): unknown {
  if (jsonExcess(text, Number.POSITIVE_INFINITY) !== null) return undefined
  try {
    return parseExactJson(text, mapText)
  } catch {
    return undefined
  }
}

/** EIA writes `{error: {code, message}}` and `{error: text, code}`. */
function reportedError(
  { route, redactKey }: EiaRequest,
  status: number,
  body: unknown,
  error: unknown,
): EiaReportedError | EiaKeyError {
  const code = textMember(error, 'code') ?? textMember(body, 'code')
  // The key is redacted in texts of the body, not in its names.
  const message =
    typeof error === 'string' ? error : (textMember(error, 'message') ?? redactKey(JSON.stringify(error)))
  const shownCode = code === null ? null : shorten(code, LONGEST_MESSAGE)
  const eiaMessage = shorten(message, LONGEST_MESSAGE)
  if (shownCode?.startsWith(KEY_CODES))
    return new EiaKeyError({ route, status, eiaCode: shownCode, eiaMessage })
  return new EiaReportedError({ route, status, eiaCode: shownCode, eiaMessage })
}

/** EIA's API runs behind api.data.gov, whose codes for a key are `API_KEY_INVALID`, `API_KEY_MISSING`, `API_KEY_DISABLED`… */
const KEY_CODES = 'API_KEY_'

/** `{baseUrl}/v2/{path}?api_key=…`. The base URL may hold a path. EIA takes its key in the query only. */
export function apiUrl(baseUrl: string, path: string, apiKey: string): URL {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v2/${path}`
  url.hash = ''
  url.searchParams.set('api_key', apiKey)
  return url
}

/** The query of `GET /v2/{route}/data` for rows of a series, newest first. */
export function addSeries(url: URL, series: Series, { offset, length }: Section): void {
  const parameters = [
    ['frequency', series.frequency],
    ['data[0]', series.column],
    ...Object.entries(series.facets).map(([id, value]) => [`facets[${id}][]`, value] as const),
    ['sort[0][column]', 'period'],
    ['sort[0][direction]', 'desc'],
    ['offset', String(offset)],
    ['length', String(length)],
    ...(series.end ? [['end', series.end] as const] : []),
  ] as const
  for (const [name, value] of parameters) url.searchParams.append(name, value)
}

/** Selects rows of a series. */
export interface Section {
  /** Number of newer rows to skip. */
  readonly offset: number
  readonly length: number
}
