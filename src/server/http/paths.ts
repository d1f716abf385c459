import { Elysia } from 'elysia'
import { Memoirist } from 'memoirist'
import { defineError } from '../../defineError.ts'
import { WattfeedError } from '../../errors.ts'
import { ALLOWED_METHODS, MCP_METHODS, MCP_PATH } from './headers.ts'
import { urlPath } from './url.ts'

export const UnknownPathError = defineError(
  'UnknownPathError',
  'unknown_path',
  (facts: { path: string }) => `unknown path ${facts.path}; GET / lists all endpoints`,
)

export class MethodNotAllowedError extends WattfeedError {
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
}

/**
 * A request has more than one Host header. A proxy may have routed by another one than this server reads.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
const DoubledHostError = defineError(
  'DoubledHostError',
  'doubled_host',
  () => 'the request has more than one Host header; send exactly one',
)

export const PathEncodingError = defineError(
  'PathEncodingError',
  'path_encoding',
  (facts: {
    /** The path or its malformed part, as sent. */
    path: string
  }) =>
    `"${facts.path}" is not percent-encoded UTF-8; encode ids with encodeURIComponent (JavaScript) or an equivalent`,
)

/** Rejects requests whose path or Host the router would misread. */
export const paths = new Elysia({ name: 'paths' }).onRequest(({ request }) => {
  // The runtime joins headers of the same name with a comma and a space. A host contains no space.
  if (request.headers.get('host')?.includes(', ')) throw new DoubledHostError()
  const path = urlPath(request.url)
  // The target of CONNECT is a host.
  if (!path.startsWith('/')) throw new MethodNotAllowedError(request.method, path)
  if (!isEncoded(path)) throw new PathEncodingError({ path })
})

export function noEndpointError({ method, url }: Request, endpointOf: EndpointOf): WattfeedError {
  const path = urlPath(url)
  const endpoint = endpointOf(path)
  if (endpoint === null) return new UnknownPathError({ path })
  return new MethodNotAllowedError(method, path, endpoint === MCP_PATH ? MCP_METHODS : ALLOWED_METHODS)
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

/** Creates the lookup with Elysia's own router. Like Elysia, it ignores a trailing slash. */
export function createEndpointOf(patterns: readonly string[]): EndpointOf {
  const router = new Memoirist<string>()
  for (const pattern of patterns) router.add('GET', pattern, pattern)
  const find = (path: string) => router.find('GET', path)?.store ?? null
  return (path) => find(path) ?? (/[^/]\/$/.test(path) ? find(path.slice(0, -1)) : null)
}
