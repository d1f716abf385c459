import { signal } from '@preact/signals'
import { WattfeedError } from '@wattfeed/base'
import { LRUCache } from 'lru-cache'
import type { Shape } from '../../../api/shape.ts'
import { faultIn } from './shape.ts'

/** The server could not be reached, returned an error, or returned an unexpected body. */
export class AnswerError extends WattfeedError {
  static override readonly name = 'AnswerError'
  readonly code = 'answer'

  constructor(
    /** 0 without an answer; 200 if the answer does not have the expected shape. */
    readonly status: number,
    /** The server's message, or the fault of the answer. */
    readonly reason: string,
    /** The server's `Retry-After`, or null. */
    readonly retryAfterMs: number | null,
    /** The server's error code, which docs/errors.md lists; null without one. */
    readonly serverCode: string | null = null,
  ) {
    super(status === 0 ? `no answer: ${reason}` : `answered with ${status}: ${reason}`)
  }

  get retryable(): boolean {
    return [0, 200, 429].includes(this.status) || this.status >= 500
  }
}

/** Returns an error of the server. Rethrows any other error, because it is a bug. */
export function faultOf(error: unknown): AnswerError {
  if (error instanceof AnswerError) return error
  throw error
}

export interface ServerAnswer<T> {
  readonly body: T
  readonly etag: string | null
  /** The state root of the answer; null if it was not read from the chain. */
  readonly stateRootHash: string | null
  readonly version: string | null
}

/** The state root of the newest answer from the chain; null before the first one. */
export const stateRoot = signal<string | null>(null)

/** Whether the server answered the newest request, even with an error. */
export const isReached = signal(true)

let answeredAt = Date.now()

/** Requests `/health`, unless the server has answered a request within `quietMs`. @throws {AnswerError} */
export async function checkReach(quietMs: number, signal: AbortSignal): Promise<void> {
  if (isReached.value && Date.now() - answeredAt < quietMs) return
  await request('/health', signal)
}

const remembered = new LRUCache<string, ServerAnswer<unknown>>({ max: 60 })

/**
 * Reads JSON from this server. An unchanged answer is the same object.
 *
 * @throws {AnswerError}
 */
export async function fetchAnswer<T>(
  path: string,
  shape: Shape<T>,
  {
    signal,
    isRemembered = true,
  }: {
    signal?: AbortSignal
    /** Whether the answer is cached: false for large ones that are read once. @default true */
    isRemembered?: boolean
  } = {},
): Promise<ServerAnswer<T>> {
  const known = remembered.get(path) as ServerAnswer<T> | undefined
  const response = await request(path, signal, known?.etag)
  const { headers } = response
  const stateRootHash = headers.get('x-casper-state-root')
  if (stateRootHash !== null) stateRoot.value = stateRootHash
  if (response.status === 304 && known !== undefined) return known
  if (!response.ok) throw await errorOf(response)
  const answer: ServerAnswer<T> = {
    body: await parseBody(response, shape),
    etag: headers.get('etag'),
    stateRootHash,
    version: headers.get('x-wattfeed-version'),
  }
  if (isRemembered) remembered.set(path, answer)
  return answer
}

/** Sends a request to this server, and returns a response of any status: 304 if the answer still has the etag. @throws {AnswerError} */
export async function request(path: string, signal?: AbortSignal, etag?: string | null): Promise<Response> {
  // With our own `If-None-Match`, the browser passes on the 304 instead of answering from its cache. Without it, the browser
  // uses the preloaded response.
  const headers: Record<string, string> = etag ? { 'if-none-match': etag } : {}
  try {
    const response = await fetch(path, { headers, signal: signal ?? null })
    answeredAt = Date.now()
    isReached.value = true
    return response
  } catch (error) {
    if (signal?.aborted) throw error
    isReached.value = false
    throw new AnswerError(0, 'the server cannot be reached', null)
  }
}

/** Parses and checks a body, because a proxy or a faulty server may send anything. @throws {AnswerError} */
async function parseBody<T>(response: Response, shape: Shape<T>): Promise<T> {
  const text = await response.text().catch(() => {
    throw new AnswerError(0, 'the connection closed before the answer was complete', null)
  })
  const body = parseJson<T>(text)
  const fault = faultIn(shape, body)
  if (fault !== null) throw new AnswerError(200, fault, null)
  return body
}

function parseJson<T>(text: string): T {
  try {
    return JSON.parse(text)
  } catch {
    throw new AnswerError(200, 'the answer is not JSON', null)
  }
}

async function errorOf(response: Response): Promise<AnswerError> {
  const body: unknown = await response.json().catch(() => null)
  const reason = typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : ''
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = Number.isNaN(seconds) ? null : seconds * 1000
  return new AnswerError(response.status, reason, retryAfterMs, response.headers.get('x-wattfeed-error'))
}
