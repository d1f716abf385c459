import type { Snapshot } from '../client/index.ts'

/**
 * The headers of every answer, errors included. They let pages of any origin read it.
 *
 * No `Vary: Origin`: the answer is the same for every origin. No credentials header: there is no login.
 *
 * @see https://fetch.spec.whatwg.org/#http-responses
 */
export const commonHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, X-Casper-State-Root, X-Wattfeed-Version, X-Wattfeed-Error, Retry-After, Link, Content-Range, Accept-Ranges, Content-Disposition',
} as const

/** The methods allowed on every path. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'

/** Headers of an answer beside those of every answer. */
export type AnswerHeaders = Readonly<Record<string, string>>

export const JSON_TYPE = 'application/json'

/** Returns a response with a body as JSON, uncompressed and without an ETag. */
export const jsonResponse = (body: object, status: number, extra: AnswerHeaders): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-cache', ...commonHeaders, ...extra },
  })

/** Formats `Cache-Control` for answers that may be `maxAgeS` seconds old; 0 has caches ask every time. */
export const formatCacheControl = (maxAgeS: number): string =>
  maxAgeS === 0 ? 'no-cache' : `public, max-age=${maxAgeS}`

/** Formats a strong ETag from a word without quotes. */
export const formatEtag = (word: string): string => `"${word}"`

/**
 * Returns whether an `If-None-Match` header (a list or `*`) matches the ETag, by weak comparison: `W/` is ignored.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  // A comma inside another ETag splits it into pieces that lack a quote on one side, so they cannot match.
  return ifNoneMatch.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag)
}

/** Whether the caller already holds the answer with this ETag. */
export function isNotModified(request: Request, etag: string): boolean {
  const ifNoneMatch = request.headers.get('if-none-match')
  return ifNoneMatch !== null && matchesEtag(ifNoneMatch, etag)
}

/** Reads the version; null if there is none, or if it could not be read: the answer itself does not need it. */
export const versionAt = (at: Pick<Snapshot, 'getLogLengths'>): Promise<string | null> =>
  at.getLogLengths().catch(() => null)

/** Returns the headers that say which state of the chain was read. */
export const originHeaders = (stateRootHash: string, version: string | null): AnswerHeaders => ({
  'x-casper-state-root': stateRootHash,
  ...(version === null ? {} : { 'x-wattfeed-version': version }),
})

/** Returns the headers that a handler has set so far. */
export const headersSet = ({ headers }: { headers: Readonly<Record<string, unknown>> }): AnswerHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
