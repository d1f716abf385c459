import { InvalidArgumentError, parsePackageHash, parseRpcUrl } from '../../client/argument.ts'
import type { Parse } from './environment.ts'

/** A whole number. */
export const integer =
  (min: number, max: number): Parse<number> =>
  (text) => {
    const value = Number(text)
    if (/^[0-9]{1,10}$/.test(text) && value >= min && value <= max) return value
    throw new Error(`a whole number from ${min} to ${max}`)
  }

/** An amount in motes. */
export const motes: Parse<bigint> = (text) => {
  if (/^[0-9]{1,18}$/.test(text)) return BigInt(text)
  throw new Error('a whole number of motes (1 CSPR is 1000000000)')
}

/** A path, as it is. */
export const path: Parse<string> = (text) => text

/** A chain's name, which is also part of a file's name. */
export const chainName: Parse<string> = (text) => {
  if (/^[A-Za-z0-9._-]+$/.test(text)) return text
  throw new Error('a chain name: letters, digits, dots and dashes')
}

/** One URL or several, comma-separated. */
export const rpcUrls: Parse<readonly string[]> = (text) =>
  ruleOf(() => text.split(',').map((url) => parseRpcUrl('CASPER_RPC_URL', url.trim())))

/** 64 lower-case hex digits, given with or without `hash-`. */
export const packageHash: Parse<string> = (text) => ruleOf(() => parsePackageHash('', text))

function ruleOf<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw error instanceof InvalidArgumentError ? new Error(error.rule) : error
  }
}
