import { InvalidArgumentError, parsePackageHash, parseRpcUrl } from '../client/argument.ts'

/** Turns a setting's text into its value; what it throws says what the text must be. */
type Parse<T> = (text: string) => T

/** A whole number. */
export const integer =
  (min: number, max: number): Parse<number> =>
  (text) => {
    const value = Number(text)
    if (/^[0-9]{1,15}$/.test(text) && value >= min && value <= max) return value
    throw new Error(`a whole number from ${min} to ${max}`)
  }

/** A decimal number above 0. */
export const positive =
  (max: number): Parse<number> =>
  (text) => {
    const value = Number(text)
    if (/^[0-9]{1,10}(\.[0-9]{1,6})?$/.test(text) && value > 0 && value <= max) return value
    throw new Error(`a number above 0, at most ${max}`)
  }

/** An amount in motes. */
export const motes: Parse<bigint> = (text) => {
  if (/^[0-9]{1,18}$/.test(text)) return BigInt(text)
  throw new Error('a whole number of motes (1 CSPR is 1000000000)')
}

/** A path, as it is. */
export const path: Parse<string> = (text) => text

/** A text without spaces; `what` names it. */
export const word =
  (what: string): Parse<string> =>
  (text) => {
    if (/^\S+$/.test(text)) return text
    throw new Error(`${what} without spaces`)
  }

/** A chain's name, which is also part of a file's name. */
export const chainName: Parse<string> = (text) => {
  if (/^[A-Za-z0-9._-]+$/.test(text)) return text
  throw new Error('a chain name: letters, digits, dots and dashes')
}

/** One of some words. */
export const oneOf =
  <T extends string>(values: readonly T[]): Parse<T> =>
  (text) => {
    const value = values.find((candidate) => candidate === text)
    if (value !== undefined) return value
    throw new Error(`one of ${values.join(', ')}`)
  }

/** A URL, as it is. */
export const httpUrl: Parse<string> = (text) => {
  if (isHttpUrl(text)) return text
  throw new Error('a URL that begins with http:// or https:// (not shown, it may hold a password)')
}

/** One URL or several, comma-separated. */
export const httpUrls: Parse<readonly string[]> = (text) => {
  const urls = text.split(',').map((url) => url.trim())
  const wrong = urls.findIndex((url) => !isHttpUrl(url))
  if (wrong === -1) return urls
  throw new Error(
    `one URL or several, comma-separated, that begin with http:// or https:// (number ${wrong + 1} of ${urls.length} is none; not shown, it may hold a password)`,
  )
}

function isHttpUrl(text: string): boolean {
  try {
    return parseRpcUrl('', text) === text
  } catch {
    return false
  }
}

/** 64 lower-case hex digits, given with or without `hash-`. */
export const packageHash: Parse<string> = (text) => {
  try {
    return parsePackageHash('', text)
  } catch (error) {
    throw error instanceof InvalidArgumentError ? new Error(error.rule) : error
  }
}

/** 64 lower-case hex digits: a block's hash has nothing before them. */
export const blockHash: Parse<string> = (text) => {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  throw new Error("a switch block's hash: 64 hex digits")
}
