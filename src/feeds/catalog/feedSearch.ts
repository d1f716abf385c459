import { searchWords } from '@wattfeed/eia/catalog'

/** The texts of a feed that a search looks at. */
export interface SearchedFeed {
  readonly feed_id: string
  readonly title: string
  readonly unit: string
  readonly route: string
  readonly frequency: string
  readonly description: string
}

// An unchanged feed stays the same object.
const texts = new WeakMap<SearchedFeed, string>()

function textOf(feed: SearchedFeed): string {
  const known = texts.get(feed)
  if (known !== undefined) return known
  const { feed_id, title, unit, route, frequency, description } = feed
  const text = [feed_id, title, unit, route, frequency, description].join('\n').toLowerCase()
  texts.set(feed, text)
  return text
}

/** Returns a function that decides whether a feed contains all words of a search, in any case and order. */
export function createFeedSearch(words: string): (feed: SearchedFeed) => boolean {
  const wanted = searchWords(words)
  return (feed) => wanted.every((word) => textOf(feed).includes(word))
}
