const FEEDS_PATH = '/explorer/feeds/'

/** Returns whether a path is the list of feeds, which is the home page. */
export const isFeedsPath = (path: string): boolean =>
  ['/', '/explorer', '/explorer/', '/explorer/feeds', '/explorer/feeds/'].includes(path)

/** Returns the path of a feed's page; null for "", "." and "..", which cannot be path segments. */
export function feedHref(feedId: string): string | null {
  return ['', '.', '..'].includes(feedId) ? null : `${FEEDS_PATH}${encodeURIComponent(feedId)}`
}

/** Returns the feed id in the path of a page, or null. */
export function feedIdOf(path: string): string | null {
  const segment = path.startsWith(FEEDS_PATH) ? path.slice(FEEDS_PATH.length).replace(/\/$/, '') : ''
  if (segment === '' || segment.includes('/')) return null
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
