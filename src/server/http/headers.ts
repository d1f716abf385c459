/**
 * The headers of every response, errors included. They allow pages of any origin to read it and to show it as a picture, also those
 * that are cross-origin isolated, and none to show it in a frame. A page has a content security policy of its own instead of this one.
 *
 * `Vary: Origin` is not needed, because the response is the same for every origin. Nor is a credentials header, because there is no login.
 *
 * @see https://fetch.spec.whatwg.org/#http-responses
 */
export const commonHeaders = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "frame-ancestors 'none'",
  'access-control-expose-headers':
    'ETag, X-Casper-State-Root, X-Wattfeed-Version, X-Wattfeed-Error, Retry-After, Link, Content-Range, Accept-Ranges, Content-Disposition, X-Wattfeed-Root, X-Wattfeed-Size, X-Wattfeed-Index, X-Wattfeed-Attested-At, X-Wattfeed-Proof',
} as const

/** The methods allowed on every path but that of MCP. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'

export const MCP_PATH = '/mcp'

export const MCP_METHODS = 'POST, OPTIONS'

/** The header with the code of an error. */
export const ERROR_HEADER = 'x-wattfeed-error'

const RETRY_AFTER_S = 4

// A node may request any delay.
const MAX_RETRY_AFTER_S = 30

/** Formats `Retry-After`, by default with about half the chain's block time. */
export const retryAfter = (waitMs: number | null = null): string =>
  String(waitMs === null ? RETRY_AFTER_S : Math.min(Math.max(Math.ceil(waitMs / 1000), 1), MAX_RETRY_AFTER_S))

export type AnswerHeaders = Readonly<Record<string, string>>

export const JSON_TYPE = 'application/json'

/** Formats `Cache-Control` for responses that caches may reuse for `maxAgeS` seconds; with 0 caches revalidate each time. */
export const formatCacheControl = (maxAgeS: number): string =>
  maxAgeS === 0 ? 'no-cache' : `public, max-age=${maxAgeS}`

/** Returns the headers that a handler has set so far. */
export const headersSet = ({ headers }: { headers: Readonly<Record<string, unknown>> }): AnswerHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
