/**
 * Returns the words of a search, in lower case. A match contains all of them.
 *
 * @example
 * ```ts
 * import { searchWords } from './searchWords.ts'
 *
 * searchWords(' Crude  oil') // ['crude', 'oil']
 * ```
 */
export const searchWords = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean)
