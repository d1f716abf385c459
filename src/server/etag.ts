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
