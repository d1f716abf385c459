import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'
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
    'ETag, X-Casper-State-Root, X-Wattfeed-Version, Retry-After, Link, Content-Range, Accept-Ranges, Content-Disposition',
} as const

/** The methods allowed on every path. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'

/**
 * Answers OPTIONS requests: 204 on every path.
 *
 * A separate instance, because the plugin handles every request it sees, which costs a quarter of the throughput. With
 * `origin: false` it neither sets `Vary: *` nor echoes the caller's origin.
 */
export const preflight = new Elysia({ name: 'preflight' })
  .headers({ ...commonHeaders, allow: ALLOWED_METHODS })
  .use(
    cors({
      origin: false,
      methods: ALLOWED_METHODS,
      allowedHeaders: '*',
      exposeHeaders: commonHeaders['access-control-expose-headers'],
      credentials: false,
      maxAge: 86_400,
    }),
  )

/** Headers of an answer beside those of every answer. Pass the same object while they stay the same. */
export type AnswerHeaders = Readonly<Record<string, string>>

export const JSON_TYPE = 'application/json'

/** Returns the headers of a JSON answer. */
export const jsonHeaders = (extra: AnswerHeaders = {}): Headers =>
  new Headers({ 'content-type': JSON_TYPE, 'cache-control': 'no-cache', ...commonHeaders, ...extra })

const plainHeaders = jsonHeaders()

/** Returns a response with a JSON text as its body. */
export const jsonResponse = (json: string, status = 200, headers = plainHeaders): Response =>
  new Response(json, { status, headers })

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

/** Returns the headers of an answer that was read from the chain. */
export type ChainHeaders = (
  at: Pick<Snapshot, 'stateRootHash' | 'getVersion'>,
) => AnswerHeaders | Promise<AnswerHeaders>

/**
 * Creates the headers of answers that are read from the chain, once for each state root. An answer whose version could not
 * be read lacks it.
 *
 * @example
 * ```ts
 * const chainHeaders = createChainHeaders('no-cache')
 * return contentResponse(request, content, await chainHeaders(at))
 * ```
 */
export function createChainHeaders(cacheControl: string): ChainHeaders {
  let last: { root: string; headers: AnswerHeaders } | null = null
  async function headersAt(at: Parameters<ChainHeaders>[0]): Promise<AnswerHeaders> {
    const [root, version] = [at.stateRootHash, await versionAt(at)]
    const headers = { 'cache-control': cacheControl, ...originHeaders(root, version) }
    // A version that could not be read may be readable the next time.
    if (version !== null) last = { root, headers }
    return headers
  }
  return (at) => (last?.root === at.stateRootHash ? last.headers : headersAt(at))
}

/** Reads the version; null if there is none, or if it could not be read: the answer itself does not need it. */
export const versionAt = (at: Pick<Snapshot, 'getVersion'>): Promise<string | null> =>
  at.getVersion().catch(() => null)

/** Returns the headers that say which state of the chain was read. */
export const originHeaders = (stateRootHash: string, version: string | null): AnswerHeaders => ({
  'x-casper-state-root': stateRootHash,
  ...(version === null ? {} : { 'x-wattfeed-version': version }),
})
