/** What stands in place of a secret. */
export const REDACTED = '[redacted]'

/**
 * Makes what strikes secrets out of a text, as they are or as a URL spells them. It is the last line of defence:
 * errors and log lines are made without secrets in the first place.
 *
 * @example
 * ```ts
 * const redact = createRedact([apiKey, ...rpcUrls.flatMap(urlSecrets)])
 * redact('GET /v2/x?api_key=s3cret') // 'GET /v2/x?api_key=[redacted]'
 * ```
 */
export function createRedact(secrets: readonly string[]): (text: string) => string {
  const spellings = [...new Set(secrets.filter(isStruck).flatMap(spellingsOf))]
  // The longest first: a secret may hold another one.
  spellings.sort((a, b) => b.length - a.length)
  return (text) => spellings.reduce((rest, spelling) => rest.replaceAll(spelling, REDACTED), text)
}

// A shorter one would tear holes into words.
const SHORTEST_SECRET = 4

const isStruck = (secret: string): boolean => secret.length >= SHORTEST_SECRET

const spellingsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret.toWellFormed()),
  new URLSearchParams({ '': secret }).toString().slice(1),
]

// Shorter ones are words such as `rpc` and `v1`, not tokens.
const SHORTEST_PATH_TOKEN = 12

/** Everything in a URL that nobody may be told: password, user, values of its query, and what may be a token in its path. */
export function urlSecrets(text: string): string[] {
  const { username, password, pathname, searchParams } = new URL(text)
  const path = pathname.split('/').filter(({ length }) => length >= SHORTEST_PATH_TOKEN)
  const secrets = [username, password, ...searchParams.values(), ...path]
  return secrets.filter((secret) => secret !== '').flatMap((secret) => [secret, decode(secret)])
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
