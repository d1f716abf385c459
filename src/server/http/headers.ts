import type { Snapshot } from '../../client/index.ts'

/**
 * The headers of every response, errors included. They allow pages of any origin to read it, and none to show it in a frame. A page
 * has a content security policy of its own instead of this one.
 *
 * `Vary: Origin` is not needed, because the response is the same for every origin. Nor is a credentials header, because there is no login.
 *
 * @see https://fetch.spec.whatwg.org/#http-responses
 */
export const commonHeaders = {
  'access-control-allow-origin': '*',
  'content-security-policy': "frame-ancestors 'none'",
  'access-control-expose-headers':
    'ETag, X-Casper-State-Root, X-Wattfeed-Version, X-Wattfeed-Error, Retry-After, Link, Content-Range, Accept-Ranges, Content-Disposition',
} as const

/** The methods allowed on every path but that of MCP. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'

export const MCP_PATH = '/mcp'

export const MCP_METHODS = 'POST, OPTIONS'

export type AnswerHeaders = Readonly<Record<string, string>>

export const JSON_TYPE = 'application/json'

/** Returns a response with a body as JSON, uncompressed and without an ETag. */
export const jsonResponse = (body: object, status: number, extra: AnswerHeaders): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-cache', ...commonHeaders, ...extra },
  })

/** Formats `Cache-Control` for responses that caches may reuse for `maxAgeS` seconds; with 0 caches revalidate each time. */
export const formatCacheControl = (maxAgeS: number): string =>
  maxAgeS === 0 ? 'no-cache' : `public, max-age=${maxAgeS}`

/** Formats a strong ETag from a text without quotes. */
export const formatEtag = (word: string): string => `"${word}"`

/**
 * Returns whether an `If-None-Match` header (a list or `*`) matches the ETag, by weak comparison: `W/` is ignored.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  // A comma inside another ETag splits it into parts that lack a quote on one side, so these cannot match.
  return ifNoneMatch.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag)
}

/** Whether the client has the response with this ETag. */
export function isNotModified(request: Request, etag: string): boolean {
  const ifNoneMatch = request.headers.get('if-none-match')
  return ifNoneMatch !== null && matchesEtag(ifNoneMatch, etag)
}

/** Reads the version; null if there is none or if it cannot be read, because a response is useful without it. */
export const versionAt = (at: Pick<Snapshot, 'getLogLengths'>): Promise<string | null> =>
  at.getLogLengths().catch(() => null)

/** Returns the headers that identify the state of the chain. */
export const originHeaders = (stateRootHash: string, version: string | null): AnswerHeaders => ({
  'x-casper-state-root': stateRootHash,
  ...(version === null ? {} : { 'x-wattfeed-version': version }),
})

/** Returns the headers that a handler has set so far. */
export const headersSet = ({ headers }: { headers: Readonly<Record<string, unknown>> }): AnswerHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
