import { WattfeedError } from '../errors.ts'

/**
 * EIA's API gave nothing that can be used. One subclass for each way; none of them ever holds the API key,
 * also where upstream echoes it.
 *
 * @example
 * ```ts
 * if (error instanceof EiaError && error.retryable) fetchLater(error.route)
 * ```
 */
export abstract class EiaError extends WattfeedError {
  constructor(
    /** EIA's route, below `/v2/`. */
    readonly route: string,
    /** The HTTP status, or null where no answer came. */
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
    super(route, status, `HTTP ${status} with an empty body, where JSON has to be; try again later`)
  }
}

/** An answer that is not JSON. */
export class EiaNotJsonError extends EiaError {
  static override readonly name = 'EiaNotJsonError'
  readonly code = 'eia_not_json'
  readonly retryable = true

  constructor(route: string, status: number) {
    super(route, status, `HTTP ${status} with a body that is not JSON; try again later or check EIA_BASE_URL`)
  }
}

/** A web page: something before the API answered in its place. */
export class EiaHtmlError extends EiaError {
  static override readonly name = 'EiaHtmlError'
  readonly code = 'eia_html'
  readonly retryable = true

  constructor(route: string, status: number) {
    super(route, status, `HTTP ${status} with a web page for JSON; try again later or check EIA_BASE_URL`)
  }
}

/** EIA says no: an answer with an `error` field, whatever its HTTP status. */
export class EiaReportedError extends EiaError {
  static override readonly name = 'EiaReportedError'
  readonly code = 'eia_error'
  readonly retryable: boolean

  constructor(
    route: string,
    status: number,
    /** EIA's code as text (`API_KEY_INVALID`, `404`), or null where it gave none. */
    readonly eiaCode: string | null,
    /** EIA's words, with the key struck out. */
    readonly eiaMessage: string,
  ) {
    super(route, status, `${eiaMessage} (HTTP ${status}${eiaCode === null ? '' : `, code ${eiaCode}`})`)
    this.retryable = isPassing(/^\d{3}$/.test(eiaCode ?? '') ? Number(eiaCode) : status)
  }
}

/** EIA rejects the API key: the codes `API_KEY_INVALID`, `API_KEY_MISSING` and their like. */
export class EiaKeyError extends EiaError {
  static override readonly name = 'EiaKeyError'
  readonly code = 'eia_key'
  readonly retryable = false

  constructor(
    route: string,
    status: number,
    /** EIA's code: `API_KEY_INVALID`. */
    readonly eiaCode: string,
    /** EIA's words, with the key struck out. */
    readonly eiaMessage: string,
  ) {
    super(
      route,
      status,
      `EIA rejects the API key: ${eiaMessage} (HTTP ${status}, code ${eiaCode}); correct EIA_API_KEY, a key is free at https://www.eia.gov/opendata/register.php`,
    )
  }
}

/** HTTP 429 or the code `OVER_RATE_LIMIT`: three times in a row, or with a longer wait asked for than may be waited. */
export class EiaThrottledError extends EiaError {
  static override readonly name = 'EiaThrottledError'
  readonly code = 'throttled'
  readonly retryable = true
  declare readonly status: number

  constructor(
    route: string,
    status: number,
    /** How long EIA asks to be left alone, in milliseconds, or null where it did not say. */
    readonly retryAfterMs: number | null,
    /** When EIA may be asked again, in epoch milliseconds. */
    readonly askAgainMs: number,
  ) {
    const time = new Date(askAgainMs).toISOString()
    super(route, status, `too many requests (HTTP ${status}); try again after ${time}, or lower EIA_RPS`)
  }
}

/** Another HTTP status that is not 2xx, without a word from EIA. Redirects too: they would carry the key away. */
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
        ? `HTTP ${status}: redirects are not followed, because they would carry the key along; set EIA_BASE_URL to where the API is`
        : `HTTP ${status}, where 200 has to be; try again later or check EIA_BASE_URL`,
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

/** Rows without the column that was asked for. */
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

/** JSON, but not what EIA answers with. */
export class EiaUnexpectedError extends EiaError {
  static override readonly name = 'EiaUnexpectedError'
  readonly code = 'eia_unexpected'
  readonly retryable = false

  constructor(
    route: string,
    status: number,
    /** What the answer lacks. */
    readonly missing: string,
  ) {
    super(route, status, `the answer lacks ${missing}; check that EIA_BASE_URL and the route are EIA's`)
  }
}

/** A body that is larger than anything asked for. It was not read to its end. */
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

/** No whole answer in time. */
export class EiaTimeoutError extends EiaError {
  static override readonly name = 'EiaTimeoutError'
  readonly code = 'eia_timeout'
  readonly retryable = true

  constructor(
    route: string,
    status: number | null,
    readonly timeoutMs: number,
  ) {
    super(route, status, `no whole answer within ${timeoutMs} ms; try again later`)
  }
}

/** No connection, or one that broke before the answer was whole. */
export class EiaUnreachableError extends EiaError {
  static override readonly name = 'EiaUnreachableError'
  readonly code = 'eia_unreachable'
  readonly retryable = true

  constructor(
    route: string,
    status: number | null,
    /** The system's word for it, such as `ECONNREFUSED`, or null where there is none. */
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

/** Whether a status speaks of trouble that passes. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 408 || status === 429
}
