// A registrant can write any amount of text.
const MAX_SEARCHED = 2_000

/** Words of a query that count. */
const MAX_WORDS = 16

/**
 * Returns the items that fit a query, best first; without words, all items. Rare words count more than common ones. Items with less
 * than a third of the best score are dropped, because they only have the common words.
 */
export function rankByWords<T>(
  items: readonly T[],
  query: string,
  textsOf: (item: T) => readonly string[],
): readonly T[] {
  const searched = items.map((item) => ({ item, text: joinTexts(textsOf(item)) }))
  const words = wordsOf(
    query,
    searched.map(({ text }) => text),
  )
  if (words.length === 0) return items
  const scored = searched.map(({ item, text }) => ({ item, score: scoreOf(text, words) }))
  const best = scored.reduce((max, { score }) => Math.max(max, score), 0)
  return scored
    .filter(({ score }) => score > 0 && score >= best / 3)
    .sort((one, other) => other.score - one.score)
    .map(({ item }) => item)
}

const joinTexts = (texts: readonly string[]): string =>
  texts
    .map((each) => each.slice(0, MAX_SEARCHED))
    .join(' ')
    .toLowerCase()

interface Word {
  text: string
  /** Finds it as a whole word. */
  whole: RegExp
  /** More for a word that few texts have. */
  weight: number
}

/** Returns the words of a query, which have only letters and digits. */
const wordsOf = (query: string, searched: readonly string[]): Word[] =>
  [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu))].slice(0, MAX_WORDS).map((text) => ({
    text,
    whole: new RegExp(`(?<![\\p{L}\\p{N}])${text}(?![\\p{L}\\p{N}])`, 'u'),
    weight: Math.log2(
      1 + searched.length / Math.max(1, searched.filter((each) => each.includes(text)).length),
    ),
  }))

/** Adds up the words that a text contains. A whole word counts more than a part of one. */
const scoreOf = (searched: string, words: readonly Word[]): number =>
  words.reduce((sum, { text, whole, weight }) => {
    if (!searched.includes(text)) return sum
    return sum + weight * (whole.test(searched) ? 3 : 2)
  }, 0)
