// A registrant can write any amount of text.
const MAX_SEARCHED = 2_000

/** Returns the items with at least one of the query's words, those with the most words first; without words, all items. */
export function rankByWords<T>(
  items: readonly T[],
  query: string,
  textsOf: (item: T) => readonly string[],
): readonly T[] {
  const words = wordsOf(query)
  if (words.length === 0) return items
  return items
    .map((item) => ({ item, score: scoreOf(textsOf(item), words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ item }) => item)
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Counts the words that texts contain. A whole word counts more than a part of one. */
function scoreOf(texts: readonly string[], words: readonly string[]): number {
  const searched = texts
    .map((each) => each.slice(0, MAX_SEARCHED))
    .join(' ')
    .toLowerCase()
  const known = new Set(wordsOf(searched))
  return words.reduce((sum, word) => sum + (known.has(word) ? 3 : searched.includes(word) ? 2 : 0), 0)
}
