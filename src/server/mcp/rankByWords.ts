// A registrant can write any amount of text.
const MAX_SEARCHED = 2_000

/** Words of a query that count. */
const MAX_WORDS = 16

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

interface Word {
  text: string
  /** Finds it as a whole word. */
  whole: RegExp
}

/** Returns the words of a query, which have only letters and digits. */
const wordsOf = (query: string): Word[] =>
  [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu))].slice(0, MAX_WORDS).map((text) => ({
    text,
    whole: new RegExp(`(?<![\\p{L}\\p{N}])${text}(?![\\p{L}\\p{N}])`, 'u'),
  }))

/** Counts the words that texts contain. A whole word counts more than a part of one. */
function scoreOf(texts: readonly string[], words: readonly Word[]): number {
  const searched = texts
    .map((each) => each.slice(0, MAX_SEARCHED))
    .join(' ')
    .toLowerCase()
  return words.reduce((sum, { text, whole }) => {
    if (!searched.includes(text)) return sum
    return sum + (whole.test(searched) ? 3 : 2)
  }, 0)
}
