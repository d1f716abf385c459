import type { WattfeedError } from '@wattfeed/base'
import { Memoirist } from 'memoirist'
import { ALLOWED_METHODS, MCP_METHODS, MCP_PATH } from './headers.ts'
import { defineHttpError, HttpError } from './httpError.ts'
import { redactEiaKey } from './redactEiaKey.ts'

// `Request.url` is absolute if the Host header is valid. Otherwise (HTTP/1.0, a stray character), and for CONNECT, it is the bare
// request target. Elysia splits at the same place.
const pathStart = (url: string): number =>
  url.startsWith('http://') || url.startsWith('https://') ? url.indexOf('/', url.indexOf('://') + 3) : 0

/** Returns the percent-encoded path of a request's URL, without the query; the whole target if it has no path. */
export function urlPath(url: string): string {
  const start = pathStart(url)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

/** Returns that path as logs and errors show it: without a key of EIA's API. */
export const shownPath = (url: string): string => redactEiaKey(urlPath(url))

/** Returns the encoded query of a request's URL, without the `?`; empty if there is none. */
export function urlQuery(url: string): string {
  const start = url.indexOf('?', pathStart(url))
  return start === -1 ? '' : url.slice(start + 1)
}

export const UnknownPathError = defineHttpError(
  'UnknownPathError',
  'unknown_path',
  (facts: { path: string }) => `unknown path ${facts.path}; GET / lists all endpoints`,
  { status: 404 },
)

export class MethodNotAllowedError extends HttpError {
  static override readonly name = 'MethodNotAllowedError'
  readonly code = 'method_not_allowed'
  readonly retryable = false

  constructor(
    readonly method: string,
    readonly path: string,
    /** The allowed methods, as in `Allow`. */
    readonly allowed: string = ALLOWED_METHODS,
  ) {
    super(`method ${method} is not allowed on ${path}; use ${allowed.replace(/,.*/, '')}`)
  }

  get status() {
    return 405
  }

  override get headers() {
    return { allow: this.allowed }
  }
}

/**
 * A request has more than one Host header. A proxy may have routed by another one than this server reads.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
const DoubledHostError = defineHttpError(
  'DoubledHostError',
  'doubled_host',
  () => 'the request has more than one Host header; send exactly one',
  { status: 400 },
)

export const PathEncodingError = defineHttpError(
  'PathEncodingError',
  'path_encoding',
  (facts: {
    /** The path or its malformed part, as sent. */
    path: string
  }) =>
    `"${facts.path}" is not percent-encoded UTF-8; encode ids with encodeURIComponent (JavaScript) or an equivalent`,
  { status: 400 },
)

/** Returns the error for a request without a route: 405 for the path of an endpoint, else 404. */
export function noEndpointError({ method, url }: Request, endpointOf: EndpointOf): WattfeedError {
  const path = shownPath(url)
  const endpoint = endpointOf(urlPath(url))
  if (endpoint === null) return new UnknownPathError({ path })
  return new MethodNotAllowedError(method, path, endpoint === MCP_PATH ? MCP_METHODS : ALLOWED_METHODS)
}

/** @throws when the router would misread the path or the Host. */
export function assertRoutable({ url, method, headers }: Request): void {
  // The runtime joins headers of the same name with a comma and a space. A host contains no space.
  if (headers.get('host')?.includes(', ')) throw new DoubledHostError()
  const path = urlPath(url)
  // The target of CONNECT is a host.
  if (!path.startsWith('/')) throw new MethodNotAllowedError(method, shownPath(url))
  if (!isEncoded(path)) throw new PathEncodingError({ path: shownPath(url) })
}

/** @see https://url.spec.whatwg.org/#percent-encoded-bytes */
function isEncoded(path: string): boolean {
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** Returns the pattern of the endpoint for a path, or null. */
export type EndpointOf = (path: string) => string | null

/**
 * Creates the lookup with Elysia's own router. Like Elysia, it ignores a trailing slash.
 *
 * @param listPatterns is called for the first path, when all plugins are in use
 */
export function createEndpointOf(listPatterns: () => readonly string[]): EndpointOf {
  let router: Memoirist<string> | null = null
  const find = (path: string): string | null => {
    router ??= routerOf(listPatterns())
    return router.find('GET', path)?.store ?? null
  }
  return (path) => find(path) ?? (/[^/]\/$/.test(path) ? find(path.slice(0, -1)) : null)
}

function routerOf(patterns: readonly string[]): Memoirist<string> {
  const router = new Memoirist<string>()
  for (const pattern of patterns) router.add('GET', pattern, pattern)
  return router
}
