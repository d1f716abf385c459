import { parsePackageHash, parseRpcUrl } from '../client/argument.ts'

/** Parses a setting's text. @throws an error whose message says what the text must be. */
export interface Parse<T> {
  (text: string): T
  /** What the text must be, for people: continues "it must be". */
  readonly rule: string
}

/** Creates a parser; `read` returns undefined if the text breaks the rule, or throws if it can say more. */
export function parser<T>(rule: string, read: (text: string) => T | undefined): Parse<T> {
  const parse = (text: string): T => {
    const value = read(text)
    if (value === undefined) throw new Error(rule)
    return value
  }
  return Object.assign(parse, { rule })
}

/** Parses a whole number. */
export const integer = (min: number, max: number): Parse<number> =>
  parser(`a whole number from ${min} to ${max}`, (text) => {
    const value = Number(text)
    return /^[0-9]{1,15}$/.test(text) && value >= min && value <= max ? value : undefined
  })

/** Parses a decimal number above 0. */
export const positive = (max: number): Parse<number> =>
  parser(`a number above 0, at most ${max}`, (text) => {
    const value = Number(text)
    return /^[0-9]{1,10}(\.[0-9]{1,6})?$/.test(text) && value > 0 && value <= max ? value : undefined
  })

/** Parses a text that matches a pattern. */
const matching = (rule: string, pattern: RegExp): Parse<string> =>
  parser(rule, (text) => (pattern.test(text) ? text : undefined))

/** Parses an amount in motes. */
export const motes: Parse<bigint> = parser('a whole number of motes (1 CSPR is 1000000000)', (text) =>
  /^[0-9]{1,18}$/.test(text) ? BigInt(text) : undefined,
)

/** Parses a path; any text is one. */
export const path: Parse<string> = parser('a path', (text) => text)

/** Parses a text without spaces; `what` names it. */
export const word = (what: string): Parse<string> => matching(`${what} without spaces`, /^\S+$/)

/** Parses a chain's name, which is also used in file names. */
export const chainName = matching('a chain name: letters, digits, dots and dashes', /^[A-Za-z0-9._-]+$/)

/** Parses one of the values. */
export const oneOf = <T extends string>(values: readonly T[]): Parse<T> =>
  parser(`one of ${values.join(', ')}`, (text) => values.find((candidate) => candidate === text))

const isNotShown = 'not shown, it may hold a password'

/** Parses a URL; returns it unchanged. */
export const httpUrl = parser('a URL that begins with http:// or https://', function read(text): string {
  if (isHttpUrl(text)) return text
  throw new Error(`${httpUrl.rule} (${isNotShown})`)
})

/** Parses one URL or several, comma-separated. */
export const httpUrls = parser(
  'one URL or several, comma-separated, that begin with http:// or https://',
  (text): readonly string[] => {
    const urls = text.split(',').map((url) => url.trim())
    const wrong = urls.findIndex((url) => !isHttpUrl(url))
    if (wrong === -1) return urls
    throw new Error(`${httpUrls.rule} (number ${wrong + 1} of ${urls.length} is none; ${isNotShown})`)
  },
)

function isHttpUrl(text: string): boolean {
  try {
    return parseRpcUrl('', text) === text
  } catch {
    return false
  }
}

/** Parses a package hash, with or without `hash-`, to 64 lower-case hex digits. */
export const packageHash: Parse<string> = parser(
  '64 hex digits, with or without "hash-" before them',
  (text) => {
    try {
      return parsePackageHash('', text)
    } catch {
      return undefined
    }
  },
)

/** Parses an account: its hash, or a public key in hex. */
export const account: Parse<string> = parser('account-hash-… or a public key in hex', (text) =>
  /^(account-hash-[0-9a-f]{64}|01[0-9a-f]{64}|02[0-9a-f]{66})$/i.test(text) ? text.toLowerCase() : undefined,
)

/** Parses a block's hash, which has no prefix, to 64 lower-case hex digits. */
export const blockHash: Parse<string> = parser("a switch block's hash: 64 hex digits", (text) =>
  /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined,
)
