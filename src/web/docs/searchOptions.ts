import type { Options } from 'minisearch'

export interface SearchEntry {
  /** Address of the section, absolute or relative to that of the index. */
  id: string
  title: string
  /** Title of the page. */
  page: string
  text: string
}

/** Options of the index. Build and browser need the same. */
export const searchOptions: Options<SearchEntry> = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page'],
  // Codes and settings are indexed whole and by their parts.
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
