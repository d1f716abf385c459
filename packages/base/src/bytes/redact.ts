import { basicCredentials, percentDecode } from './credentials.ts'

export const REDACTED = '[redacted]'

/**
 * Returns a function that redacts secrets in a text. It finds them in upper and lower case and in any URL or JSON encoding.
 *
 * Text from third parties must be redacted before it becomes part of an error. Log lines are redacted as the last line of
 * defense.
 */
export function createRedact(secrets: readonly string[], mark = REDACTED): (text: string) => string {
  const targets = [...new Set(secrets)].filter(({ length }) => length >= MIN_SECRET_LENGTH)
  if (targets.length === 0) return (text) => text
  // Longest first: a secret may contain another.
  targets.sort((a, b) => b.length - a.length)
  const spellings = new RegExp(
    targets.map((secret) => [...secret].map(spellingsOf).join('')).join('|'),
    'giu',
  )
  return (text) => text.replace(spellings, mark)
}

// Redacting shorter secrets would mangle ordinary words.
const MIN_SECRET_LENGTH = 4

/** Returns a pattern for all encodings of a character. A percent sign can itself be encoded as %25. */
function spellingsOf(character: string): string {
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => `%(?:25)*${hex(byte, 2)}`)
  const units = character.split('').map((unit) => `${BACKSLASHES}u${hex(unit.charCodeAt(0), 4)}`)
  const plain = `${BACKSLASHES}?\\u{${hex(character.codePointAt(0), 1)}}`
  return `(?:${plain}|${bytes.join('')}|${units.join('')}${character === ' ' ? '|\\+' : ''})`
}

// Nested JSON doubles backslashes. Their number is limited, because a text of only backslashes would take quadratic time.
const BACKSLASHES = '(?:\\\\{1,4})'

const hex = (number = 0, digits: number): string => number.toString(16).padStart(digits, '0')

// Shorter segments of a path are words such as `rpc` and `v1`, not tokens.
const MIN_TOKEN_LENGTH = 12

/** Returns the secrets of an `Authorization` header: the whole value, and the token after a scheme such as `Bearer`. */
export const authorizationSecrets = (value: string): string[] => [
  value,
  value.slice(value.lastIndexOf(' ') + 1),
]

/**
 * Returns the secrets of a URL: user, password, Basic credentials, query values, and possible tokens in the path. With a
 * query or a token, the whole path is a secret too.
 */
export function urlSecrets(text: string): string[] {
  const url = new URL(text)
  const { username, password, pathname, search, searchParams } = url
  const tokens = pathname.split('/').filter(({ length }) => length >= MIN_TOKEN_LENGTH)
  const path = tokens.length > 0 || search !== '' ? pathname + search : ''
  const credentials = basicCredentials(url).replaceAll('=', '')
  const secrets = [username, password, ...searchParams.values(), ...tokens, path, credentials]
  return secrets.flatMap((secret) => [secret, percentDecode(secret)]).filter(Boolean)
}
