import { basicCredentials, percentDecode } from './basicCredentials.ts'

/** What stands in place of a secret. */
export const REDACTED = '[redacted]'

/**
 * Makes what strikes secrets out of a text, in capitals or not, as they are or as a URL or JSON spells them, once or
 * more often. What others say goes through it before it becomes part of an error; for log lines it is the last line
 * of defence.
 *
 * @example
 * ```ts
 * const redact = createRedact([apiKey, ...rpcUrls.flatMap(urlSecrets)])
 * redact('GET /v2/x?api_key=s3cret') // 'GET /v2/x?api_key=[redacted]'
 * ```
 */
export function createRedact(secrets: readonly string[], mark = REDACTED): (text: string) => string {
  const struck = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST_SECRET)
  if (struck.length === 0) return (text) => text
  // The longest first: a secret may hold another one.
  struck.sort((a, b) => b.length - a.length)
  const spellings = new RegExp(struck.map((secret) => [...secret].map(spellingsOf).join('')).join('|'), 'giu')
  return (text) => text.replace(spellings, mark)
}

// A shorter one would tear holes into words.
const SHORTEST_SECRET = 4

/** A pattern for one character in each of its spellings; a percent sign is itself encoded as %25. */
function spellingsOf(character: string): string {
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => `%(?:25)*${hex(byte, 2)}`)
  const units = character.split('').map((unit) => `${BACKSLASHES}u${hex(unit.charCodeAt(0), 4)}`)
  const plain = `${BACKSLASHES}?\\u{${hex(character.codePointAt(0), 1)}}`
  return `(?:${plain}|${bytes.join('')}|${units.join('')}${character === ' ' ? '|\\+' : ''})`
}

// JSON in JSON doubles them. Without a bound, a text of nothing else would take the square of its length.
const BACKSLASHES = '(?:\\\\{1,4})'

const hex = (number = 0, digits: number): string => number.toString(16).padStart(digits, '0')

// Shorter ones are words such as `rpc` and `v1`, not tokens.
const SHORTEST_PATH_TOKEN = 12

/**
 * Everything in a URL that nobody may be told: password, user, values of its query, what may be a token in its path,
 * the path as a whole where it holds one, and the value of the header that carries user and password.
 */
export function urlSecrets(text: string): string[] {
  const url = new URL(text)
  const { username, password, pathname, search, searchParams } = url
  const tokens = pathname.split('/').filter(({ length }) => length >= SHORTEST_PATH_TOKEN)
  const path = tokens.length > 0 || search !== '' ? pathname + search : ''
  const credentials = basicCredentials(url).replaceAll('=', '')
  const secrets = [username, password, ...searchParams.values(), ...tokens, path, credentials]
  return secrets.flatMap((secret) => [secret, percentDecode(secret)]).filter(Boolean)
}
