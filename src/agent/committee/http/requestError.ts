import { WattfeedError } from '@wattfeed/base'

/** When to repeat a request that this member could not handle, in milliseconds. */
export const RETRY_AFTER_MS = 5_000

/** A request of another program that this member does not handle. */
export class RequestError extends WattfeedError {
  static override readonly name = 'RequestError'
  readonly code = 'committee_request'
  readonly retryable: boolean

  constructor(
    readonly status: number,
    readonly reason: RequestErrorReason,
    message: string,
    /** When the sender may try again, in milliseconds; null if the same request would fail again. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
    this.retryable = retryAfterMs !== null
  }
}

type RequestErrorReason =
  | 'unsigned'
  | 'unknown_member'
  | 'body_size'
  | 'body'
  | 'invalid_signature'
  | 'stale_request'
  | 'future_request'
  | 'repeated_nonce'
  | 'too_many_requests'
  | 'timeout'
  | 'unknown_path'
  | 'unknown_root'

/** Returns the response to a failed request. Only the message of a {@link RequestError} is shown. */
export function errorResponse(error: unknown): Response {
  const { status, reason, message, retryAfterMs } = describe(error)
  const headers = new Headers({ 'cache-control': 'no-store', 'x-wattfeed-error': reason })
  if (retryAfterMs !== null) headers.set('retry-after', String(Math.ceil(retryAfterMs / 1_000)))
  return Response.json({ error: message }, { status, headers })
}

type Description = Pick<RequestError, 'status' | 'message' | 'retryAfterMs'> & { reason: string }

function describe(error: unknown): Description {
  if (error instanceof RequestError) return error
  if (error instanceof WattfeedError && error.retryable)
    return {
      status: 503,
      reason: 'unavailable',
      message: `this member cannot answer now: ${error.code}`,
      retryAfterMs: RETRY_AFTER_MS,
    }
  return { status: 500, reason: 'internal', message: 'internal error', retryAfterMs: null }
}
