/** Returns the words of a search, in lower case. A match contains all of them. */
export const searchWords = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean)
