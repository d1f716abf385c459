import type { AbortSignalLike, RequestInitLike, ResponseLike } from '../../async/webTypes.ts'
import { jsonExcess, readText, uncompressed } from '../../bytes/untrustedText.ts'
import { parseRetryAfter } from '../../bytes/retryAfter.ts'
import { WattfeedError } from '../../errors.ts'

/** The parts of `fetch` that wattfeed uses. */
export type Fetch = (url: string, init: RequestInitLike) => Promise<ResponseLike>

/**
 * A node could not be reached, or did not answer with JSON.
 *
 * @example
 * ```ts
 * import { AllNodesFailedError, TransportError } from 'wattfeed'
 *
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof AllNodesFailedError)) throw error
 *   for (const { host, error: cause } of error.failures)
 *     if (cause instanceof TransportError) console.error(host, cause.status, cause.reason)
 * }
 * ```
 */
export class TransportError extends WattfeedError {
  static override readonly name = 'TransportError'
  readonly code = 'transport'
  readonly retryable: boolean
  readonly #isRefusedBody: boolean

  constructor(
    /** The failure, without the node's URL. */
    readonly reason: string,
    /** HTTP status of the response; null if there was none. */
    readonly status: number | null = null,
    /** `Retry-After` of the response in milliseconds; null if there was none. */
    readonly retryAfterMs: number | null = null,
    isRefusedBody = false,
  ) {
    super(reason)
    this.#isRefusedBody = isRefusedBody
    this.retryable = status === null || status < 400 || status === 408 || status === 429 || status >= 500
  }

  /** Whether the body was rejected as too large or malformed. The value on chain may really be that large. */
  get isRefusedBody(): boolean {
    return this.#isRefusedBody
  }
}

export interface PostJsonOptions {
  fetch: Fetch
  /** Sent in addition to the content type. */
  headers: Record<string, string>
  maxBodyBytes: number
  /** Limit for `Retry-After`, in milliseconds. */
  retryAfterMaxMs: number
  signal: AbortSignalLike
}

/**
 * Posts a JSON body and returns the parsed JSON answer.
 *
 * @throws {TransportError} on a broken connection, a status other than 2xx, or a body that is compressed, larger than
 * `maxBodyBytes`, or not acceptable JSON.
 */
export async function postJson(url: string, body: string, options: PostJsonOptions): Promise<unknown> {
  const { signal } = options
  try {
    const response = await options.fetch(url, {
      ...uncompressed,
      method: 'POST',
      headers: { ...options.headers, ...uncompressed.headers, 'content-type': 'application/json' },
      body,
      signal,
    })
    if (!response.ok) throw await statusError(response, options.retryAfterMaxMs)
    return parseJson(await readText(response, options.maxBodyBytes, refusal))
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof TransportError) throw error
    throw new TransportError('the connection failed')
  }
}

const refusal = (reason: string): TransportError =>
  new TransportError(`the answer is ${reason}`, null, null, true)

// RFC 9110 and RFC 6585 define Retry-After for these. With any other status, a faulty proxy could disable a node.
const WAITING_STATUSES = [429, 503]

async function statusError({ body, headers, status }: Response, maxMs: number): Promise<TransportError> {
  await body?.cancel()
  const retryAfter = WAITING_STATUSES.includes(status) ? headers.get('retry-after') : null
  return new TransportError(`HTTP ${status}`, status, parseRetryAfter(retryAfter, maxMs))
}

function parseJson(text: string): unknown {
  const excess = jsonExcess(text)
  if (excess !== null) throw refusal(excess)
  try {
    return JSON.parse(text)
  } catch {
    throw refusal('not JSON')
  }
}
