import { basicCredentials, percentDecode } from './credentials.ts'

/** Replaces a secret. */
export const REDACTED = '[redacted]'

/**
 * Returns a function that redacts secrets from a text, in any case and any URL or JSON encoding. Text from third parties
 * goes through it before it becomes part of an error; for log lines it is the last line of defence.
 *
 * @example
 * ```ts
 * const redact = createRedact([apiKey, ...rpcUrls.flatMap(urlSecrets)])
 * redact('GET /v2/x?api_key=s3cret') // 'GET /v2/x?api_key=[redacted]'
 * ```
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

// Redacting shorter ones would mangle ordinary words.
const MIN_SECRET_LENGTH = 4

/** Returns a pattern for every encoding of a character; a percent sign may itself be encoded as %25. */
function spellingsOf(character: string): string {
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => `%(?:25)*${hex(byte, 2)}`)
  const units = character.split('').map((unit) => `${BACKSLASHES}u${hex(unit.charCodeAt(0), 4)}`)
  const plain = `${BACKSLASHES}?\\u{${hex(character.codePointAt(0), 1)}}`
  return `(?:${plain}|${bytes.join('')}|${units.join('')}${character === ' ' ? '|\\+' : ''})`
}

// Nested JSON doubles them. Bounded, because a text of backslashes alone would take quadratic time.
const BACKSLASHES = '(?:\\\\{1,4})'

const hex = (number = 0, digits: number): string => number.toString(16).padStart(digits, '0')

// Shorter parts of a path are words such as `rpc` and `v1`, not tokens.
const MIN_TOKEN_LENGTH = 12

/**
 * Returns the secrets in a URL: user, password, query values, possible tokens in its path (and then the whole path),
 * and its Basic credentials.
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
