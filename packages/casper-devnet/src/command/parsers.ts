import { statSync } from 'node:fs'
import { publicKeyPattern } from '@wattfeed/casper/types'
import { InvalidArgumentError } from 'commander'
import { InvalidParamsError } from '../params.ts'
import { parseDuration, parseTimestamp } from '../transaction/nodeReader.ts'

function parser<T>(rule: string, parse: (text: string) => T | undefined): (text: string) => T {
  return (text) => {
    const value = parse(text)
    if (value === undefined) throw new InvalidArgumentError(`It must be ${rule}.`)
    return value
  }
}

const wholeNumberIn = (text: string, min: number, max: number): number | undefined =>
  /^\d{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined

export const wholeNumber = (min: number, max: number): ((text: string) => number) =>
  parser(`a whole number from ${min} to ${max}`, (text) => wholeNumberIn(text, min, max))

const MAX_BLOCK_TIME_MS = 3_600_000

export const blockTime: (text: string) => number | 'manual' = parser(
  `a whole number from 1 to ${MAX_BLOCK_TIME_MS}, or manual`,
  (text) => (text === 'manual' ? text : wholeNumberIn(text, 1, MAX_BLOCK_TIME_MS)),
)

const matching = (rule: string, pattern: RegExp): ((text: string) => string) =>
  parser(rule, (text) => (pattern.test(text) ? text : undefined))

export const chainName = matching('a chain name: letters, digits, dots and dashes', /^[A-Za-z0-9._-]+$/)

export const publicKey = matching(
  'a public key in hex, which starts with 01 or 02',
  new RegExp(`^(${publicKeyPattern})$`),
)

export const host = matching('an address or host name without spaces', /^[^\s/]+$/)

/** A directory, or a path that does not exist yet. */
export const directory = parser('a directory, or a path that does not exist yet', (path) =>
  path.trim() !== '' && isDirectoryOrNothing(path) ? path : undefined,
)

function isDirectoryOrNothing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true
  } catch {
    return false
  }
}

export const rpcUrl = matching('a URL that begins with http:// or https://', /^https?:\/\/\S+$/)

/** A duration for the clock, or a time, as text that the chain can parse. */
export type TimeMove = { readonly timestamp: string } | { readonly duration: string }

export const timeMove = parser(
  'a duration with its unit, such as 5s, 1h or "1day 2h", or a time such as 2030-01-01T00:00:00Z',
  parseTimeMove,
)

function parseTimeMove(text: string): TimeMove | undefined {
  try {
    if (/^\d{4}-/.test(text)) {
      parseTimestamp(text)
      return { timestamp: text }
    }
    parseDuration(text)
    return { duration: text }
  } catch (error) {
    if (error instanceof InvalidParamsError) return undefined
    throw error
  }
}
