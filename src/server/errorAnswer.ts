import { WattfeedError } from '@wattfeed/base'
import { AllNodesFailedError } from 'wattfeed'
import type { ErrorBody } from '../api/schemas.ts'
import type { Log } from '../runtime/log.ts'
import { type AnswerHeaders, commonHeaders, ERROR_HEADER, retryAfter } from './http/headers.ts'
import { HttpError } from './http/httpError.ts'

/** The statuses of errors that are not the server's. Any other is a 502: the chain could not be read, or its state is invalid. */
const statuses: Readonly<Record<string, number>> = {
  invalid_argument: 400,
  transaction_not_found: 404,
  root_not_found: 404,
  not_covered: 404,
  table_index_missing: 404,
  chart_busy: 429,
  proof_busy: 429,
  range_too_long: 400,
  snapshot_gone: 410,
  internal: 500,
  chart_worker: 500,
  table_worker: 500,
  unsupported_account: 501,
  history_too_large: 503,
  http_files: 503,
  snapshot_missing: 503,
}

/** An error other than a `WattfeedError`. Its message could contain anything, so it is only logged. */
const defect = { code: 'internal', message: 'internal error', retryable: false }

/** Returns the response to a failed request. */
export function errorAnswer(error: unknown): { status: number; headers: AnswerHeaders; body: ErrorBody } {
  const { code, message, retryable } = error instanceof WattfeedError ? error : defect
  const own = error instanceof HttpError ? error : { status: statuses[code] ?? 502, headers: {}, body: {} }
  const waitMs = error instanceof AllNodesFailedError ? error.retryAfterMs : null
  return {
    status: own.status,
    headers: {
      ...commonHeaders,
      'cache-control': 'no-store',
      [ERROR_HEADER]: code,
      link: `</docs/errors#${code}>; rel="help"`,
      ...(retryable ? { 'retry-after': retryAfter(waitMs) } : {}),
      ...own.headers,
    },
    body: { error: message, ...own.body },
  }
}

/** Logs an error that the caller did not cause. */
export function logError(log: Log, error: unknown): void {
  const { status } = errorAnswer(error)
  if (status === 500) log.error({ err: error }, 'internal error')
  else if (status === 503) log.warn({ err: loggedError(error) }, 'request answered with 503')
  else if (status > 500) log.warn({ err: loggedError(error) }, 'chain read failed')
}

/** Returns the fields of an expected error for the log; any other error as it is, with its stack. */
export const loggedError = (error: unknown) =>
  error instanceof WattfeedError ? { code: error.code, message: error.message } : error
