import { DecodeError } from '@wattfeed/base'
import { publicKeyPattern } from './accountHash.ts'

/** Returns whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Decodes a member of a JSON object. */
export type Decode<T> = (value: unknown, what: string) => T

/** A hash: 64 lower-case hex digits. */
export const hash: Decode<string> = (value, what) => {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value
  throw new DecodeError(what, 'expected 64 hex digits')
}

const PUBLIC_KEY = new RegExp(`^(00|${publicKeyPattern})$`)

/** A public key in hex, starting with the algorithm byte: `00` system, `01` Ed25519, `02` secp256k1. */
export const publicKey: Decode<string> = (value, what) => {
  if (typeof value === 'string' && PUBLIC_KEY.test(value.toLowerCase())) return value.toLowerCase()
  throw new DecodeError(what, 'expected a public key')
}

export const text: Decode<string> = (value, what) => {
  if (typeof value === 'string') return value
  throw new DecodeError(what, 'expected text')
}

/** A non-negative safe integer. */
export const integer: Decode<number> = (value, what) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new DecodeError(what, 'expected a whole number')
}

/** A `u8`. */
export const byte: Decode<number> = (value, what) => {
  if (integer(value, what) < 256) return integer(value, what)
  throw new DecodeError(what, 'exceeds 255')
}

/** A `U512` in decimal text. */
export const amount: Decode<bigint> = (value, what) => {
  if (typeof value === 'string' && /^(0|[1-9][0-9]{0,154})$/.test(value)) {
    const number = BigInt(value)
    if (number >> 512n === 0n) return number
  }
  throw new DecodeError(what, 'expected a U512 in decimal')
}

export const boolean: Decode<boolean> = (value, what) => {
  if (typeof value === 'boolean') return value
  throw new DecodeError(what, 'expected true or false')
}

export const record: Decode<Record<string, unknown>> = (value, what) => {
  if (isRecord(value)) return value
  throw new DecodeError(what, 'expected an object')
}

/** Returns a function that decodes the members of a JSON object by name. */
export const members: Decode<<T>(name: string, decode: Decode<T>) => T> = (value, what) => {
  const object = record(value, what)
  return (name, decode) => decode(object[name], name)
}

/** Maximum length of the lists in a header: a real network has 100 validators. */
const MAX_ITEMS = 1_000

/** A list. Its length is checked before the items are decoded, because a node can send any number. */
export const listOf =
  <T>(item: Decode<T>, max = MAX_ITEMS): Decode<T[]> =>
  (value, what) => {
    if (!Array.isArray(value)) throw new DecodeError(what, 'expected a list')
    assertCount(value.length, max, what)
    return value.map((each, index) => item(each, `${what}[${index}]`))
  }

export const nullable =
  <T>(decode: Decode<T>): Decode<T | null> =>
  (value, what) =>
    value === null || value === undefined ? null : decode(value, what)

/** The entries of a JSON object. Their number is checked first. */
export const entries: Decode<[string, unknown][]> = (value, what) => {
  const list = Object.entries(record(value, what))
  assertCount(list.length, MAX_ITEMS, what)
  return list
}

function assertCount(count: number, max: number, what: string): void {
  if (count > max) throw new DecodeError(what, `${count} items exceed the limit of ${max}`)
}
