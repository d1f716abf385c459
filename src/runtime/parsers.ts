import { parsePackageHash, parseRpcUrl } from '../client/argument.ts'

/** Turns a setting's text into its value; what it throws says what the text must be. */
export interface Parse<T> {
  (text: string): T
  /** What a text must be, for people: follows on from "it must be". */
  readonly rule: string
}

/** A parser of a rule; `read` returns undefined for a text that breaks it, or throws where more can be said. */
function parser<T>(rule: string, read: (text: string) => T | undefined): Parse<T> {
  const parse = (text: string): T => {
    const value = read(text)
    if (value === undefined) throw new Error(rule)
    return value
  }
  return Object.assign(parse, { rule })
}

/** A whole number. */
export const integer = (min: number, max: number): Parse<number> =>
  parser(`a whole number from ${min} to ${max}`, (text) => {
    const value = Number(text)
    return /^[0-9]{1,15}$/.test(text) && value >= min && value <= max ? value : undefined
  })

/** A decimal number above 0. */
export const positive = (max: number): Parse<number> =>
  parser(`a number above 0, at most ${max}`, (text) => {
    const value = Number(text)
    return /^[0-9]{1,10}(\.[0-9]{1,6})?$/.test(text) && value > 0 && value <= max ? value : undefined
  })

/** A text of a pattern, as it is. */
const matching = (rule: string, pattern: RegExp): Parse<string> =>
  parser(rule, (text) => (pattern.test(text) ? text : undefined))

/** An amount in motes. */
export const motes: Parse<bigint> = parser('a whole number of motes (1 CSPR is 1000000000)', (text) =>
  /^[0-9]{1,18}$/.test(text) ? BigInt(text) : undefined,
)

/** A path, as it is. */
export const path: Parse<string> = parser('a path', (text) => text)

/** A text without spaces; `what` names it. */
export const word = (what: string): Parse<string> => matching(`${what} without spaces`, /^\S+$/)

/** A chain's name, which is also part of a file's name. */
export const chainName = matching('a chain name: letters, digits, dots and dashes', /^[A-Za-z0-9._-]+$/)

/** One of some words. */
export const oneOf = <T extends string>(values: readonly T[]): Parse<T> =>
  parser(`one of ${values.join(', ')}`, (text) => values.find((candidate) => candidate === text))

const isNotShown = 'not shown, it may hold a password'

/** A URL, as it is. */
export const httpUrl = parser('a URL that begins with http:// or https://', function read(text): string {
  if (isHttpUrl(text)) return text
  throw new Error(`${httpUrl.rule} (${isNotShown})`)
})

/** One URL or several, comma-separated. */
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

/** 64 lower-case hex digits, given with or without `hash-`. */
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

/** 64 lower-case hex digits: a block's hash has nothing before them. */
export const blockHash: Parse<string> = parser("a switch block's hash: 64 hex digits", (text) =>
  /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined,
)
