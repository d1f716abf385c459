import { WattfeedError } from '../../errors.ts'
import { createStore } from './store.ts'

/** The server could not be reached, or answered with an error. */
export class AnswerError extends WattfeedError {
  static override readonly name = 'AnswerError'
  readonly code = 'answer'

  constructor(
    /** 0 where there was no answer. */
    readonly status: number,
    /** In the server's words. */
    readonly reason: string,
    /** What the server asks to wait, or null. */
    readonly retryAfterMs: number | null,
  ) {
    super(status === 0 ? `no answer: ${reason}` : `answered with ${status}: ${reason}`)
  }

  get retryable(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

/** What the server answered with. */
export interface Answer<T> {
  readonly body: T
  readonly etag: string | null
  /** The state root that it was read at, where it was read from the chain. */
  readonly stateRootHash: string | null
  readonly version: string | null
}

/** The state root of the newest answer from the chain; null before. */
export const rootStore = createStore<string | null>(null)

/** Whether the server answered the newest request, if only with an error. */
export const reachStore = createStore(true)

let answeredAt = Date.now()

/** Asks the server for a sign of life, unless it has answered something within `quietMs`. @throws {AnswerError} */
export async function checkReach(quietMs: number, signal: AbortSignal): Promise<void> {
  if (reachStore.get() && Date.now() - answeredAt < quietMs) return
  await request('/health', null, signal)
}

export interface FetchOptions {
  signal?: AbortSignal
  /** Whether the answer is kept for the next time: not where it is large and read once. @default true */
  isRemembered?: boolean
}

const MAX_REMEMBERED = 60
const remembered = new Map<string, Answer<unknown>>()

/**
 * Reads JSON of this server. While it has not changed, the answer is the same object.
 *
 * @throws {AnswerError}
 *
 * @example
 * ```ts
 * const { body } = await fetchAnswer<{ count: number }>('/v1/feeds', { signal })
 * ```
 */
export async function fetchAnswer<T>(
  path: string,
  { signal, isRemembered = true }: FetchOptions = {},
): Promise<Answer<T>> {
  const known = remembered.get(path) as Answer<T> | undefined
  const response = await request(path, known?.etag ?? null, signal ?? null)
  const { headers } = response
  const stateRootHash = headers.get('x-casper-state-root')
  if (stateRootHash !== null) rootStore.set(stateRootHash)
  if (response.status === 304 && known !== undefined) return known
  if (!response.ok) throw await errorOf(response)
  const answer: Answer<T> = {
    body: await json<T>(response),
    etag: headers.get('etag'),
    stateRootHash,
    version: headers.get('x-wattfeed-version'),
  }
  if (isRemembered) remember(path, answer)
  return answer
}

/** Asks this server, whatever it answers with. @throws {AnswerError} */
export async function request(
  path: string,
  etag: string | null,
  signal: AbortSignal | null,
): Promise<Response> {
  // A header of our own has the browser hand on the 304 instead of answering from its cache; without one, it takes what the
  // page had preloaded.
  const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag }
  try {
    const response = await fetch(path, { headers, signal })
    answeredAt = Date.now()
    reachStore.set(true)
    return response
  } catch (error) {
    if (signal?.aborted) throw error
    reachStore.set(false)
    throw new AnswerError(0, 'the server cannot be reached', null)
  }
}

async function json<T>(response: Response): Promise<T> {
  try {
    return await response.json()
  } catch {
    throw new AnswerError(0, 'the answer broke off', null)
  }
}

async function errorOf(response: Response): Promise<AnswerError> {
  const body: unknown = await response.json().catch(() => null)
  const reason = typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : ''
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new AnswerError(response.status, reason, Number.isNaN(seconds) ? null : seconds * 1000)
}

function remember(path: string, answer: Answer<unknown>): void {
  remembered.delete(path)
  remembered.set(path, answer)
  for (const oldest of remembered.keys()) {
    if (remembered.size <= MAX_REMEMBERED) return
    remembered.delete(oldest)
  }
}

let index: Promise<Answer<{ version: string; endpoints: Record<string, string> }>> | null = null

/** The server's version and endpoints; asked once. @throws {AnswerError} */
export async function fetchIndex(): Promise<{ version: string; endpoints: Record<string, string> }> {
  index ??= fetchAnswer('/')
  try {
    return (await index).body
  } catch (error) {
    index = null
    throw error
  }
}

/** Whether this server has an endpoint: an older one may not. @throws {AnswerError} */
export async function hasEndpoint(path: string): Promise<boolean> {
  const { endpoints } = await fetchIndex()
  return Object.keys(endpoints).some((each) => each.split('?')[0] === path)
}
