import { defineError, type ErrorTraits, tlsFault, WattfeedError } from '@wattfeed/base'

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
  /** EIA's route, below `/v2/`. */
  declare readonly route: string
  /** The HTTP status, or null without an answer. */
  declare readonly status: number | null
}

/** As `defineError`: each error of EIA's API also has the route and the HTTP status. */
export const defineEiaError = <const Code extends string, Facts extends { status: number | null }>(
  name: string,
  code: Code,
  message: (facts: Facts) => string,
  traits: Omit<ErrorTraits<Facts>, 'base'> = {},
): DefinedEiaError<Code, Facts> =>
  defineError(name, code, (facts: Facts & { route: string }) => `EIA ${facts.route}: ${message(facts)}`, {
    ...traits,
    base: EiaError,
  }) as DefinedEiaError<Code, Facts>

/** The class of an error of EIA's API. */
export interface DefinedEiaError<Code extends string, Facts> {
  new (facts: Facts & { route: string }): EiaError & { readonly code: Code } & Readonly<Facts>
  readonly name: string
}

/** An answer without a body. */
export const EiaEmptyBodyError = defineEiaError(
  'EiaEmptyBodyError',
  'eia_empty_body',
  (facts: { status: number }) => `expected JSON but got an empty body (HTTP ${facts.status}); retry later`,
  { retryable: true },
)

/** An answer that is not JSON. */
export const EiaNotJsonError = defineEiaError(
  'EiaNotJsonError',
  'eia_not_json',
  (facts: { status: number }) =>
    `expected JSON but got another body (HTTP ${facts.status}); retry later or check EIA_BASE_URL`,
  { retryable: true },
)

/** A web page, for instance from a proxy in front of the API. */
export const EiaHtmlError = defineEiaError(
  'EiaHtmlError',
  'eia_html',
  (facts: { status: number }) =>
    `expected JSON but got a web page (HTTP ${facts.status}); retry later or check EIA_BASE_URL`,
  { retryable: true },
)

/** An answer with an `error` field, with any HTTP status. */
export const EiaReportedError = defineEiaError(
  'EiaReportedError',
  'eia_error',
  (facts: {
    status: number
    /** EIA's code as text (`API_KEY_INVALID`, `404`), or null without a code. */
    eiaCode: string | null
    /** EIA's message, with the key redacted. */
    eiaMessage: string
  }) =>
    `${facts.eiaMessage} (HTTP ${facts.status}${facts.eiaCode === null ? '' : `, code ${facts.eiaCode}`})`,
  {
    retryable: (facts) =>
      isPassing(/^\d{3}$/.test(facts.eiaCode ?? '') ? Number(facts.eiaCode) : facts.status),
  },
)
export type EiaReportedError = InstanceType<typeof EiaReportedError>

/** EIA rejects the API key: codes such as `API_KEY_INVALID` and `API_KEY_MISSING`. */
export const EiaKeyError = defineEiaError(
  'EiaKeyError',
  'eia_key',
  (facts: {
    status: number
    /** EIA's code: `API_KEY_INVALID`. */
    eiaCode: string
    /** EIA's message, with the key redacted. */
    eiaMessage: string
  }) =>
    `EIA rejects the API key: ${facts.eiaMessage} (HTTP ${facts.status}, code ${facts.eiaCode}); correct EIA_API_KEY, a key is free at https://www.eia.gov/opendata/register.php`,
)
export type EiaKeyError = InstanceType<typeof EiaKeyError>

/** HTTP 429 or the code `OVER_RATE_LIMIT`, three times in a row, or with a pause longer than allowed. */
export const EiaThrottledError = defineEiaError(
  'EiaThrottledError',
  'throttled',
  (facts: {
    status: number
    /** The pause that EIA asks for, in milliseconds; null if it names none. */
    retryAfterMs: number | null
    /** When requests may resume, in epoch milliseconds. */
    askAgainMs: number
  }) => {
    const time = new Date(facts.askAgainMs).toISOString()
    return `rate limited by EIA (HTTP ${facts.status}); retry after ${time}, or lower EIA_RPS`
  },
  { retryable: true },
)
export type EiaThrottledError = InstanceType<typeof EiaThrottledError>

/** Any other HTTP status outside 2xx without EIA's error body. Redirects, too: following them would leak the key. */
export const EiaStatusError = defineEiaError(
  'EiaStatusError',
  'eia_status',
  (facts: { status: number }) => {
    const moved = facts.status >= 300 && facts.status < 400
    return moved
      ? `HTTP ${facts.status}: redirects are not followed, because they would leak the key; set EIA_BASE_URL to the API's address`
      : `expected HTTP 200 but got ${facts.status}; retry later or check EIA_BASE_URL`
  },
  { retryable: (facts) => isPassing(facts.status) },
)

/** The series has no rows: a facet value, or the whole series, that EIA does not know. */
export const EiaNoRowsError = defineEiaError(
  'EiaNoRowsError',
  'eia_no_rows',
  (_: { status: number }) => 'no rows; check the facet values against those that EIA lists',
)

/** Fewer rows came than the answer counts in its total, so that the others are unknown. */
export const EiaIncompleteError = defineEiaError(
  'EiaIncompleteError',
  'eia_incomplete',
  (_: { status: number | null }) => 'fewer rows came than EIA counts; retry later',
  { retryable: true },
)

/** A row without the requested column. */
export const EiaMissingColumnError = defineEiaError(
  'EiaMissingColumnError',
  'eia_missing_column',
  (facts: {
    status: number
    column: string
    /** Which one: `the row of 2026-11-20`. */
    row: string
  }) => `${facts.row} has no column ${JSON.stringify(facts.column)}; check the column`,
)

/** Rows of a dataset, none of which has one of its facets. That is not a facet without a value. */
export const EiaMissingFacetError = defineEiaError(
  'EiaMissingFacetError',
  'eia_missing_facet',
  (facts: {
    status: number
    facet: string
    /** How many rows came. */
    rows: number
    /** How many are before them. */
    offset: number
  }) =>
    `none of the ${facts.rows} rows from offset ${facts.offset} on has the facet ${JSON.stringify(facts.facet)}; retry later, or check that the dataset still has it`,
)

/** JSON of an unexpected form. */
export const EiaUnexpectedError = defineEiaError(
  'EiaUnexpectedError',
  'eia_unexpected',
  (facts: { status: number; missing: string }) =>
    `the answer lacks ${facts.missing}; check that EIA_BASE_URL and the route are EIA's`,
)

/** A body above the size limit. The rest was not read. */
export const EiaTooLargeError = defineEiaError(
  'EiaTooLargeError',
  'eia_too_large',
  (facts: { status: number; maxBytes: number }) =>
    `the body has more than ${facts.maxBytes} bytes; pin more facets, or check EIA_BASE_URL`,
)

/** No complete answer in time. */
export const EiaTimeoutError = defineEiaError(
  'EiaTimeoutError',
  'eia_timeout',
  (facts: { status: number | null; timeoutMs: number }) =>
    `no complete answer within ${facts.timeoutMs} ms; retry later`,
  { retryable: true },
)

/** The connection failed, or broke before the answer was complete. */
export const EiaUnreachableError = defineEiaError(
  'EiaUnreachableError',
  'eia_unreachable',
  (facts: {
    status: number | null
    /** The system's error code, such as `ECONNREFUSED`, or null. */
    reason: string | null
  }) =>
    tlsFault(facts.reason) ??
    `the connection failed${facts.reason === null ? '' : ` (${facts.reason})`}; check EIA_BASE_URL and the network`,
  { retryable: true },
)

/** Cuts an upstream text that goes into an error or a log line. */
export function shorten(text: string, maxLength = 80): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** Returns whether a status means a temporary failure. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 408 || status === 429
}
