/** How datasets are filtered; an empty string does not filter. */
export interface DatasetQuery {
  family: string
  q: string
}

/** One part of a query, decoded as forms encode it; as written where it does not decode. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}

/**
 * Reads the filters of `GET /v1/datasets` from a raw query. Never fails: of a repeated parameter the last
 * counts, what does not decode is taken as written, what has another name is passed over.
 *
 * @see https://url.spec.whatwg.org/#urlencoded-parsing
 */
export function parseDatasetQuery(query: string): DatasetQuery {
  const found: DatasetQuery = { family: '', q: '' }
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    const name = decodePart(equals === -1 ? pair : pair.slice(0, equals))
    if (name === 'family' || name === 'q')
      found[name] = equals === -1 ? '' : decodePart(pair.slice(equals + 1))
  }
  return found
}
