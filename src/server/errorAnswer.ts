import { WattfeedError } from '@wattfeed/base'
import { AllNodesFailedError, type FeedAbsence, type SeriesProof } from 'wattfeed'
import type { ErrorBody } from '../api/schemas.ts'
import type { Log } from '../runtime/log.ts'
import { originHeaders } from './answerAt.ts'
import { HistoryFillingError } from './history/historyWalks.ts'
import { RangeNotSatisfiableError } from './http/fileResponse.ts'
import { type AnswerHeaders, commonHeaders } from './http/headers.ts'
import { MethodNotAllowedError } from './http/paths.ts'
import { FeedNotFoundError, ValueNotFoundError } from './notFound.ts'
import { SeriesAbsentError } from './series/seriesErrors.ts'

/** The header with the code of an error. */
export const ERROR_HEADER = 'x-wattfeed-error'

/** The HTTP status of each error code. Any other code is a 502: the chain could not be read, or its state is invalid. */
const statuses: Readonly<Record<string, number>> = {
  path_encoding: 400,
  doubled_host: 400,
  invalid_argument: 400,
  query: 400,
  unknown_path: 404,
  feed_not_found: 404,
  public_url_unset: 404,
  datasets_unset: 404,
  codes_missing: 404,
  dataset_not_found: 404,
  series_absent: 404,
  oembed_url: 404,
  value_not_found: 404,
  transaction_not_found: 404,
  mcp_forbidden: 403,
  method_not_allowed: 405,
  mcp_not_acceptable: 406,
  history_pin: 409,
  precondition_failed: 412,
  range_not_satisfiable: 416,
  chart_busy: 429,
  history_busy: 429,
  mcp_busy: 429,
  proof_busy: 429,
  transaction_busy: 429,
  internal: 500,
  body_schema: 500,
  chart_worker: 500,
  table_worker: 500,
  oembed_format: 501,
  unsupported_account: 501,
  history_too_large: 503,
  history_filling: 503,
  mcp_timeout: 503,
  snapshot_missing: 503,
  http_files: 503,
  stream_ahead: 503,
  streams_full: 503,
  streams_stopped: 503,
}

export interface ErrorAnswer {
  status: number
  headers: AnswerHeaders
  body: ErrorBody & { absence?: FeedAbsence | null } & Partial<SeriesProof>
}

/**
 * Returns the response to a failed request. An error other than a `WattfeedError` is a defect. Its message could contain
 * anything, so it is only logged.
 */
export function errorAnswer(error: unknown): ErrorAnswer {
  const isOwn = error instanceof WattfeedError
  const code = isOwn ? error.code : 'internal'
  return {
    status: statuses[code] ?? 502,
    headers: {
      ...commonHeaders,
      'cache-control': 'no-store',
      [ERROR_HEADER]: code,
      link: `</docs/errors#${code}>; rel="help"`,
      ...(isOwn ? headersOf(error) : {}),
    },
    body: { error: isOwn ? error.message : 'internal error', ...absenceOf(error) },
  }
}

/** The proof of what is absent. */
function absenceOf(error: unknown): Partial<SeriesProof> & Pick<ErrorAnswer['body'], 'absence'> {
  if (error instanceof SeriesAbsentError) return error.proof ?? {}
  return error instanceof FeedNotFoundError && error.absence !== undefined ? { absence: error.absence } : {}
}

function headersOf(error: WattfeedError): AnswerHeaders {
  if (error instanceof MethodNotAllowedError) return { allow: error.allowed }
  if (error instanceof RangeNotSatisfiableError) return { 'content-range': `bytes */${error.size}` }
  if (error instanceof FeedNotFoundError || error instanceof ValueNotFoundError)
    return error.stateRootHash === null ? {} : originHeaders(error.stateRootHash, error.version)
  return error.retryable ? { 'retry-after': String(retryAfterS(error)) } : {}
}

/** Default `Retry-After` in seconds, about half the chain's block time. */
export const RETRY_AFTER_S = 4

// A node may request any delay.
const MAX_RETRY_AFTER_S = 30

function retryAfterS(error: WattfeedError): number {
  const isTimed = error instanceof AllNodesFailedError || error instanceof HistoryFillingError
  const waitMs = isTimed ? error.retryAfterMs : null
  return waitMs === null ? RETRY_AFTER_S : Math.min(Math.max(Math.ceil(waitMs / 1000), 1), MAX_RETRY_AFTER_S)
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
