import { WattfeedError } from '../errors.ts'

// `Request.url` is absolute, except without a valid Host header (HTTP/1.0, a stray character) and for CONNECT, whose
// target is `host:port`: then Bun passes the bare request target. Elysia splits at the same place.
const pathStart = (url: string): number =>
  url.startsWith('http://') || url.startsWith('https://') ? url.indexOf('/', url.indexOf('://') + 3) : 0

/** Returns the path of a request's URL, percent-encoded and without the query; the whole target if it has no path. */
export function urlPath(url: string): string {
  const start = pathStart(url)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

/** Returns the query of a request's URL, encoded and without the `?`; empty if there is none. */
export function urlQuery(url: string): string {
  const start = url.indexOf('?', pathStart(url))
  return start === -1 ? '' : url.slice(start + 1)
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

/**
 * Decodes the percent-encoding of a path or a part of it (`+` stays a plus); null if it is malformed.
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

/** Follows the id in the path of its proof. */
export const PROOF_SUFFIX = '/proof'

/** Follows the id in the path of what its values were made from. */
export const PROVENANCE_SUFFIX = '/provenance'

/** Follows the id in the path of how up to date it is. */
export const STATUS_SUFFIX = '/status'

/** Follows the id in the path of all its values. */
export const HISTORY_SUFFIX = '/history'

/**
 * Returns the feed id in a request's URL, decoded once from the path as sent.
 *
 * An id may hold any character, percent-encoded (`%2F` is a slash, `+` a plus). Only the empty id (its path is the
 * list's) and the ids `.` and `..` are unreachable: URL parsers, Bun's included, resolve these segments away even if
 * percent-encoded. The list shows them all.
 *
 * @param suffix - what follows the id in the path
 * @throws {PathEncodingError} when the path is not percent-encoded UTF-8.
 */
export function feedIdFromUrl(url: string, suffix = ''): string {
  const segment = urlPath(url).slice(PREFIX.length)
  // The router ignores a trailing slash.
  const path = segment.endsWith('/') ? segment.slice(0, -1) : segment
  const encodedId = path.slice(0, path.length - suffix.length)
  const id = decodePath(encodedId)
  if (id === null) throw new PathEncodingError(encodedId)
  return id
}

const FEED = /^\/v1\/feeds\/[^/]+\/?$/
const PART_OF_EXPLORER = /^\/explorer\/(assets\/[^/]+$)?/
const PART_OF_FEED = /^\/v1\/feeds\/[^/]+(\/[a-z.-]+|\/history\/[^/]+\/proof)\/?$/

const HISTORY_INDEX = /^\/history\/[^/]+\//

/**
 * Returns a function that maps a path to its endpoint's pattern, or null. Like the router, it ignores a trailing slash.
 */
export function createEndpointOf(patterns: readonly string[]): (path: string) => string | null {
  const known = new Set(patterns)
  return (path) => {
    if (FEED.test(path)) return '/v1/feeds/:id'
    const [, part = ''] = PART_OF_FEED.exec(path) ?? []
    const pattern = `/v1/feeds/:id${part.replace(HISTORY_INDEX, '/history/:index/')}`
    if (part !== '' && known.has(pattern)) return pattern
    if (known.has(path)) return path
    const [page, asset] = PART_OF_EXPLORER.exec(path) ?? []
    if (page !== undefined) return asset === undefined ? '/explorer/*' : '/explorer/assets/:name'
    const withoutSlash = path.slice(0, -1)
    return path.endsWith('/') && withoutSlash !== '/' && known.has(withoutSlash) ? withoutSlash : null
  }
}
