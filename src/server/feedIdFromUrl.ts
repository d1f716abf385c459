import { decodePath, PathEncodingError } from './pathEncoding.ts'
import { urlPath } from './urlPath.ts'

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
 * @throws {PathEncodingError} where the path is not percent-encoded UTF-8.
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
