import { WattfeedError } from '../errors.ts'

/**
 * EIA's API gave no usable answer. There is one subclass for each cause. None ever holds the API key, even if EIA echoes it.
 *
 * @example
 * ```ts
 * import { EiaError, recheckFeed } from 'wattfeed/provenance'
 *
 * try {
 *   await recheckFeed(client, 'EIA.PET.PRICE.WTI.DAILY', { apiKey })
 * } catch (error) {
 *   if (!(error instanceof EiaError)) throw error
 *   console.error(error.route, error.status, error.retryable)
 * }
 * ```
 */
export abstract class EiaError extends WattfeedError {
  constructor(
    /** EIA's route, below `/v2/`. */
    readonly route: string,
    /** The HTTP status, or null without an answer. */
    readonly status: number | null,
    message: string,
  ) {
    super(`EIA ${route}: ${message}`)
  }
}

/** An answer without a body. */
export class EiaEmptyBodyError extends EiaError {
  static override readonly name = 'EiaEmptyBodyError'
  readonly code = 'eia_empty_body'
  readonly retryable = true

  constructor(route: string, status: number) {
    super(route, status, `expected JSON but got an empty body (HTTP ${status}); retry later`)
  }
}

/** An answer that is not JSON. */
export class EiaNotJsonError extends EiaError {
  static override readonly name = 'EiaNotJsonError'
  readonly code = 'eia_not_json'
  readonly retryable = true

  constructor(route: string, status: number) {
    super(
      route,
      status,
      `expected JSON but got another body (HTTP ${status}); retry later or check EIA_BASE_URL`,
    )
  }
}

/** A web page, for instance from a proxy in front of the API. */
export class EiaHtmlError extends EiaError {
  static override readonly name = 'EiaHtmlError'
  readonly code = 'eia_html'
  readonly retryable = true

  constructor(route: string, status: number) {
    super(
      route,
      status,
      `expected JSON but got a web page (HTTP ${status}); retry later or check EIA_BASE_URL`,
    )
  }
}

/** An answer with an `error` field, with any HTTP status. */
export class EiaReportedError extends EiaError {
  static override readonly name = 'EiaReportedError'
  readonly code = 'eia_error'
  readonly retryable: boolean

  constructor(
    route: string,
    status: number,
    /** EIA's code as text (`API_KEY_INVALID`, `404`), or null without a code. */
    readonly eiaCode: string | null,
    /** EIA's message, with the key redacted. */
    readonly eiaMessage: string,
  ) {
    super(route, status, `${eiaMessage} (HTTP ${status}${eiaCode === null ? '' : `, code ${eiaCode}`})`)
    this.retryable = isPassing(/^\d{3}$/.test(eiaCode ?? '') ? Number(eiaCode) : status)
  }
}

/** EIA rejects the API key: codes such as `API_KEY_INVALID` and `API_KEY_MISSING`. */
export class EiaKeyError extends EiaError {
  static override readonly name = 'EiaKeyError'
  readonly code = 'eia_key'
  readonly retryable = false

  constructor(
    route: string,
    status: number,
    /** EIA's code: `API_KEY_INVALID`. */
    readonly eiaCode: string,
    /** EIA's message, with the key redacted. */
    readonly eiaMessage: string,
  ) {
    super(
      route,
      status,
      `EIA rejects the API key: ${eiaMessage} (HTTP ${status}, code ${eiaCode}); correct EIA_API_KEY, a key is free at https://www.eia.gov/opendata/register.php`,
    )
  }
}

/** HTTP 429 or the code `OVER_RATE_LIMIT`, three times in a row, or with a pause longer than allowed. */
export class EiaThrottledError extends EiaError {
  static override readonly name = 'EiaThrottledError'
  readonly code = 'throttled'
  readonly retryable = true
  declare readonly status: number

  constructor(
    route: string,
    status: number,
    /** The pause that EIA asks for, in milliseconds; null if it names none. */
    readonly retryAfterMs: number | null,
    /** When requests may resume, in epoch milliseconds. */
    readonly askAgainMs: number,
  ) {
    const time = new Date(askAgainMs).toISOString()
    super(route, status, `rate limited by EIA (HTTP ${status}); retry after ${time}, or lower EIA_RPS`)
  }
}

/** Any other HTTP status outside 2xx without EIA's error body. Redirects, too: following them would leak the key. */
export class EiaStatusError extends EiaError {
  static override readonly name = 'EiaStatusError'
  readonly code = 'eia_status'
  readonly retryable: boolean

  constructor(route: string, status: number) {
    const moved = status >= 300 && status < 400
    super(
      route,
      status,
      moved
        ? `HTTP ${status}: redirects are not followed, because they would leak the key; set EIA_BASE_URL to the API's address`
        : `expected HTTP 200 but got ${status}; retry later or check EIA_BASE_URL`,
    )
    this.retryable = isPassing(status)
  }
}

/** The series has no rows: a facet value, or the whole series, that EIA does not know. */
export class EiaNoRowsError extends EiaError {
  static override readonly name = 'EiaNoRowsError'
  readonly code = 'eia_no_rows'
  readonly retryable = false

  constructor(route: string, status: number) {
    super(route, status, 'no rows; check the facet values against those that EIA lists')
  }
}

/** Rows without the requested column. */
export class EiaMissingColumnError extends EiaError {
  static override readonly name = 'EiaMissingColumnError'
  readonly code = 'eia_missing_column'
  readonly retryable = false

  constructor(
    route: string,
    status: number,
    readonly column: string,
  ) {
    super(route, status, `a row has no column ${JSON.stringify(column)}; check the feed's column`)
  }
}

/** JSON of an unexpected form. */
export class EiaUnexpectedError extends EiaError {
  static override readonly name = 'EiaUnexpectedError'
  readonly code = 'eia_unexpected'
  readonly retryable = false

  constructor(
    route: string,
    status: number,
    /** The missing part of the answer. */
    readonly missing: string,
  ) {
    super(route, status, `the answer lacks ${missing}; check that EIA_BASE_URL and the route are EIA's`)
  }
}

/** A body above the size limit. The rest was not read. */
export class EiaTooLargeError extends EiaError {
  static override readonly name = 'EiaTooLargeError'
  readonly code = 'eia_too_large'
  readonly retryable = false

  constructor(
    route: string,
    status: number,
    readonly maxBytes: number,
  ) {
    super(route, status, `the body has more than ${maxBytes} bytes; pin more facets, or check EIA_BASE_URL`)
  }
}

/** No complete answer in time. */
export class EiaTimeoutError extends EiaError {
  static override readonly name = 'EiaTimeoutError'
  readonly code = 'eia_timeout'
  readonly retryable = true

  constructor(
    route: string,
    status: number | null,
    readonly timeoutMs: number,
  ) {
    super(route, status, `no complete answer within ${timeoutMs} ms; retry later`)
  }
}

/** The connection failed, or broke before the answer was complete. */
export class EiaUnreachableError extends EiaError {
  static override readonly name = 'EiaUnreachableError'
  readonly code = 'eia_unreachable'
  readonly retryable = true

  constructor(
    route: string,
    status: number | null,
    /** The system's error code, such as `ECONNREFUSED`, or null. */
    readonly reason: string | null,
  ) {
    super(
      route,
      status,
      `the connection failed${reason === null ? '' : ` (${reason})`}; check EIA_BASE_URL and the network`,
    )
  }
}

/** Cuts an upstream text that goes into an error or a log line. */
export function shorten(text: string, maxLength = 80): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** Whether a status means a temporary failure. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 408 || status === 429
}
