import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'

/**
 * The headers of every answer, of every endpoint and every error: what is added here stands on all of them. These let a
 * page of any origin read an answer.
 *
 * No `Vary`: the answer is the same for every origin. No credentials header: there is nothing to log in to.
 *
 * @see https://fetch.spec.whatwg.org/#http-responses
 */
export const commonHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, X-Casper-State-Root, Retry-After',
} as const

/** What every path answers to, HEAD and preflights included. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'

/**
 * Answers OPTIONS requests: 204 on every path.
 *
 * An instance apart, because the plugin works on every request it sees (a quarter of the throughput),
 * and because its ways to set the origin set `Vary: *` or repeat the caller's; `origin: false` sets neither.
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

/** Headers of an answer in JSON, with those of the answer itself. */
export const jsonHeaders = (extra: Record<string, string> = {}): Headers =>
  new Headers({ 'content-type': 'application/json', ...commonHeaders, ...extra })

const plainHeaders = jsonHeaders()

/** An answer with a JSON text for a body. */
export const jsonResponse = (json: string, status = 200, headers = plainHeaders): Response =>
  new Response(json, { status, headers })

/** The strong ETag of an answer that is told apart by a word without quotes. */
export const formatEtag = (word: string): string => `"${word}"`

/**
 * Whether an `If-None-Match` header names the ETag: a list, `W/` marks ignored (the comparison is weak), or `*`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  // A comma inside another ETag splits it into pieces that cannot have a quote on either side.
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
 * Makes the headers of answers read at a state root, once per root while it stays the same.
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
