import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'

/**
 * The headers of every answer, errors included. They let pages of any origin read it.
 *
 * No `Vary`: the answer is the same for every origin. No credentials header: there is no login.
 *
 * @see https://fetch.spec.whatwg.org/#http-responses
 */
export const commonHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, X-Casper-State-Root, Retry-After',
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

/** Returns the headers of a JSON answer. */
export const jsonHeaders = (extra: Record<string, string> = {}): Headers =>
  new Headers({ 'content-type': 'application/json', ...commonHeaders, ...extra })

const plainHeaders = jsonHeaders()

/** Returns a response with a JSON text as its body. */
export const jsonResponse = (json: string, status = 200, headers = plainHeaders): Response =>
  new Response(json, { status, headers })

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

/** ETag and headers of the answers of one state root. */
export interface ChainHeaders {
  readonly etag: string
  readonly headers: Headers
}

/**
 * Returns a function that creates the headers of answers at a state root, and reuses them while it stays the same.
 *
 * @example
 * ```ts
 * const chainHeaders = createChainHeaders()
 * const { etag, headers } = chainHeaders(at.stateRootHash)
 * ```
 */
export function createChainHeaders(): (stateRootHash: string) => ChainHeaders {
  let lastHash: string | null = null
  let last: ChainHeaders | null = null
  return (stateRootHash) => {
    if (last !== null && lastHash === stateRootHash) return last
    const etag = formatEtag(stateRootHash)
    lastHash = stateRootHash
    last = { etag, headers: jsonHeaders({ etag, 'x-casper-state-root': stateRootHash }) }
    return last
  }
}
