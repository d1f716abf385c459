import { Elysia } from 'elysia'
import { Memoirist } from 'memoirist'
import { WattfeedError } from '../../errors.ts'
import { urlPath } from '../url.ts'

/** No endpoint has this path. */
export class UnknownPathError extends WattfeedError {
  static override readonly name = 'UnknownPathError'
  readonly code = 'unknown_path'
  readonly retryable = false

  constructor(readonly path: string) {
    super(`no endpoint answers to ${path}: GET / lists those that do`)
  }
}

/** An endpoint does not allow this method. */
export class MethodNotAllowedError extends WattfeedError {
  static override readonly name = 'MethodNotAllowedError'
  readonly code = 'method_not_allowed'
  readonly retryable = false

  constructor(
    readonly method: string,
    readonly path: string,
  ) {
    super(`${method} is not allowed on ${path}: everything here is read with GET`)
  }
}

/**
 * A request has more than one Host header: a proxy may have used another one.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
export class DoubledHostError extends WattfeedError {
  static override readonly name = 'DoubledHostError'
  readonly code = 'doubled_host'
  readonly retryable = false

  constructor() {
    super('the request has more than one Host header: send one')
  }
}

/** A path's percent-encoding is broken, or not UTF-8. */
export class PathEncodingError extends WattfeedError {
  static override readonly name = 'PathEncodingError'
  readonly code = 'path_encoding'
  readonly retryable = false

  constructor(
    /** The path or its malformed part, as sent. */
    readonly path: string,
  ) {
    super(
      `"${path}" does not decode: % begins two hex digits, and the bytes are UTF-8; encodeURIComponent in JavaScript writes an id so`,
    )
  }
}

/** Rejects requests whose path or Host the router would misread. */
export const paths = new Elysia({ name: 'paths' }).onRequest(({ request }) => {
  // The runtime joins headers of the same name by a comma and a space, and no host contains a space.
  if (request.headers.get('host')?.includes(', ')) throw new DoubledHostError()
  const path = urlPath(request.url)
  // CONNECT names a host instead.
  if (!path.startsWith('/')) throw new MethodNotAllowedError(request.method, path)
  if (!isEncoded(path)) throw new PathEncodingError(path)
})

/** Returns the error for a request that no endpoint answers. */
export function noEndpointError({ method, url }: Request, endpointOf: EndpointOf): WattfeedError {
  const path = urlPath(url)
  return endpointOf(path) === null ? new UnknownPathError(path) : new MethodNotAllowedError(method, path)
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

/** Returns the pattern of the endpoint that GET reaches at a path, or null. */
export type EndpointOf = (path: string) => string | null

/** Creates the lookup of patterns, with the router that Elysia uses. It ignores a trailing slash, as Elysia does. */
export function createEndpointOf(patterns: readonly string[]): EndpointOf {
  const router = new Memoirist<string>()
  for (const pattern of patterns) router.add('GET', pattern, pattern)
  const find = (path: string) => router.find('GET', path)?.store ?? null
  return (path) => find(path) ?? (/[^/]\/$/.test(path) ? find(path.slice(0, -1)) : null)
}
