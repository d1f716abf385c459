import type { Options } from 'minisearch'

/** A section of a page. */
export interface SearchEntry {
  /** Its address. */
  id: string
  title: string
  /** Title of its page. */
  page: string
  text: string
}

/** How the index is made and read: both sides need the same. */
export const searchOptions: Options<SearchEntry> = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page'],
  // Codes and settings are found whole and by their parts.
  tokenize: (text) =>
    text
      .match(/[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)*/gu)
      ?.flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word])) ?? [],
  searchOptions: {
    boost: { title: 4, page: 2 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: 'AND',
  },
}
