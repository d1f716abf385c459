import { WattfeedError } from '../errors.ts'
import { limitTime } from './limitTime.ts'
import type { AbortSignalLike, RequestInitLike, ResponseLike } from './webTypes.ts'

/** What is behind `fetch` as far as wattfeed uses it. */
export type Fetch = (url: string, init: RequestInitLike) => Promise<ResponseLike>

/** A node that could not be reached, or did not answer with JSON. */
export class TransportError extends WattfeedError {
  readonly code = 'transport'
  readonly retryable: boolean

  constructor(
    /** What happened, without the node's URL. */
    readonly reason: string,
    /** The HTTP status, or null where there was none. */
    readonly status: number | null = null,
    /** How long the node asks to be left alone, in milliseconds, or null where it did not say. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(reason)
    this.retryable = status === null || status < 400 || status === 408 || status === 429 || status >= 500
  }
}

// Not compressed: a runtime may unpack a bomb as a whole before its size can be bounded.
const JSON_HEADERS = {
  'content-type': 'application/json',
  'accept-encoding': 'identity',
}

export interface PostJsonOptions {
  fetch: Fetch
  /** Sent beside the content type. */
  headers: Record<string, string>
  timeoutMs: number
  maxBodyBytes: number
  signal: AbortSignalLike
}

/**
 * Posts a JSON body and returns the parsed JSON answer.
 *
 * Throws a {@link TransportError} on a timeout, a broken connection, a status that is not 2xx, a body
 * over `maxBodyBytes` or one that is not JSON.
 */
export function postJson(url: string, body: string, options: PostJsonOptions): Promise<unknown> {
  const { timeoutMs, signal } = options
  const error = () => new TransportError(`timed out after ${timeoutMs} ms`)
  return limitTime({ timeoutMs, error, signal }, (signal) => post(url, body, { ...options, signal }))
}

async function post(url: string, body: string, options: PostJsonOptions): Promise<unknown> {
  const { headers, signal, maxBodyBytes } = options
  try {
    const response = await options.fetch(url, {
      method: 'POST',
      headers: { ...headers, ...JSON_HEADERS },
      body,
      signal,
    })
    if (!response.ok) throw await statusError(response)
    return parseJson(await readText(response, maxBodyBytes))
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof TransportError) throw error
    throw new TransportError('the connection failed')
  }
}

async function statusError(response: Response): Promise<TransportError> {
  await response.body?.cancel()
  return new TransportError(
    `HTTP ${response.status}`,
    response.status,
    parseRetryAfter(response.headers.get('retry-after')),
  )
}

/** Milliseconds of a `Retry-After` header (RFC 9110, seconds or a date), or null where it says nothing. */
export function parseRetryAfter(header: string | null, now: number = Date.now()): number | null {
  if (header === null || header.trim() === '') return null
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TransportError('the answer is not JSON')
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const tooLarge = () => new TransportError(`the answer is larger than ${maxBytes} bytes`)
  const announced = response.headers.get('content-length')
  if (announced !== null && response.headers.get('content-encoding') === null) {
    if (Number(announced) <= maxBytes) return response.text()
    await response.body?.cancel()
    throw tooLarge()
  }
  const decoder = new TextDecoder()
  let text = ''
  let received = 0
  const reader = response.body?.getReader()
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    received += chunk.value.length
    if (received > maxBytes) {
      await reader?.cancel()
      throw tooLarge()
    }
    text += decoder.decode(chunk.value, { stream: true })
  }
  return text + decoder.decode()
}
