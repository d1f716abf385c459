const STRUCK = '[api_key]'

// A shorter one is no key, and would tear holes into words.
const SHORTEST_KEY = 4

/**
 * A function that strikes the API key out of texts: plain or URL-encoded, once or more often, in capitals or
 * not.
 *
 * @example
 * ```ts
 * import { createKeyStriker } from './strikeKey.ts'
 *
 * createKeyStriker('s3cr+t')('no such key: s3cr%2Bt') // 'no such key: [api_key]'
 * ```
 */
export function createKeyStriker(apiKey: string): (text: string) => string {
  if (apiKey.length < SHORTEST_KEY) return (text) => text
  const spelling = new RegExp([...apiKey].map(spellingsOf).join(''), 'giu')
  return (text) => text.replace(spelling, STRUCK)
}

/** A pattern for one character of the key in each of its spellings. */
function spellingsOf(character: string): string {
  const plain = `\\u{${character.codePointAt(0)?.toString(16)}}`
  const bytes = [...new TextEncoder().encode(character)].map((byte) => byte.toString(16).padStart(2, '0'))
  // A percent sign is itself encoded as %25.
  const encoded = bytes.map((byte) => `%(?:25)*${byte}`).join('')
  return `(?:${plain}|${encoded}${character === ' ' ? '|\\+' : ''})`
}
