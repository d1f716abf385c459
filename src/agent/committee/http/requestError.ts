import { WattfeedError } from '../../../errors.ts'

/** A request of another program that this member does not handle. */
export class RequestError extends WattfeedError {
  static override readonly name = 'RequestError'
  readonly retryable: boolean

  constructor(
    /** HTTP status. */
    readonly status: number,
    readonly code: RequestErrorCode,
    message: string,
    /** When the sender may try again, in milliseconds; null if the same request would fail again. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
    this.retryable = retryAfterMs !== null
  }
}

type RequestErrorCode =
  | 'unsigned'
  | 'unknown_member'
  | 'body_size'
  | 'body'
  | 'invalid_signature'
  | 'stale_request'
  | 'repeated_nonce'
  | 'too_many_requests'
  | 'timeout'
  | 'unknown_path'

/** Returns the response to a failed request. An error of another class is a defect, and its message is not shown. */
export function errorResponse(error: unknown): Response {
  const { status, code, message, retryAfterMs } =
    error instanceof RequestError
      ? error
      : { status: 500, code: 'internal', message: 'internal error', retryAfterMs: null }
  const headers = new Headers({ 'cache-control': 'no-store', 'x-wattfeed-error': code })
  if (retryAfterMs !== null) headers.set('retry-after', String(Math.ceil(retryAfterMs / 1_000)))
  return Response.json({ error: message }, { status, headers })
}
