import { WattfeedError } from '../errors.ts'

// `Request.url` is absolute, except where the Host header is none (HTTP/1.0, a stray character): then Bun hands over
// the bare request target. So it does for CONNECT, whose target is `host:port` and no path. `Elysia`'s own split
// begins at the same place.
const pathStart = (url: string): number =>
  url.startsWith('http://') || url.startsWith('https://') ? url.indexOf('/', url.indexOf('://') + 3) : 0

/** The path of a request's URL, still percent-encoded and without the query; the whole target where it has no path. */
export function urlPath(url: string): string {
  const start = pathStart(url)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

/** The query of a request's URL, still encoded and without the `?`; empty if there is none. */
export function urlQuery(url: string): string {
  const start = url.indexOf('?', pathStart(url))
  return start === -1 ? '' : url.slice(start + 1)
}

/** A path whose percent-encoding is broken, or does not spell UTF-8. */
export class PathEncodingError extends WattfeedError {
  static override readonly name = 'PathEncodingError'
  readonly code = 'path_encoding'
  readonly retryable = false

  constructor(
    /** The path, or the part of it, as it was sent. */
    readonly path: string,
  ) {
    super(
      `"${path}" does not decode: % begins two hex digits, and the bytes are UTF-8; encodeURIComponent in JavaScript writes an id so`,
    )
  }
}

/**
 * A path, or a part of one, without its percent-encoding (`+` stays a plus); null if it does not decode.
 *
 * @see https://url.spec.whatwg.org/#percent-encoded-bytes
 */
export function decodePath(path: string): string | null {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}

const PREFIX = '/v1/feeds/'

/** Behind the id, where its proof is asked for. */
export const PROOF_SUFFIX = '/proof'

/**
 * The feed id that a request's URL asks for, decoded once from the path as it was sent.
 *
 * An id may hold any character, percent-encoded (`%2F` is a slash, `+` a plus). Not reachable this way
 * are only the empty id (its path is the list's) and the ids `.` and `..`: URL parsers, Bun's among
 * them, resolve these segments away even where they are percent-encoded. The list shows them all.
 *
 * `suffix` is what the path has behind the id.
 *
 * @throws {PathEncodingError} when the path is not percent-encoded UTF-8.
 */
export function feedIdFromUrl(url: string, suffix = ''): string {
  const segment = urlPath(url).slice(PREFIX.length)
  // The router takes a slash at the end of any path for none.
  const path = segment.endsWith('/') ? segment.slice(0, -1) : segment
  const encodedId = path.slice(0, path.length - suffix.length)
  const id = decodePath(encodedId)
  if (id === null) throw new PathEncodingError(encodedId)
  return id
}

const FEED = /^\/v1\/feeds\/[^/]+\/?$/
const PROOF = /^\/v1\/feeds\/[^/]+\/proof\/?$/

/**
 * Makes what tells to which endpoint a path belongs: its pattern, or null.
 *
 * It agrees with the router: one slash more at the end is the same endpoint.
 */
export function createEndpointOf(patterns: readonly string[]): (path: string) => string | null {
  const known = new Set(patterns)
  return (path) => {
    if (FEED.test(path)) return '/v1/feeds/:id'
    if (PROOF.test(path)) return '/v1/feeds/:id/proof'
    if (known.has(path)) return path
    const withoutSlash = path.slice(0, -1)
    return path.endsWith('/') && withoutSlash !== '/' && known.has(withoutSlash) ? withoutSlash : null
  }
}
