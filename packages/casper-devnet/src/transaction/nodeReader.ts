import { DecodeError, encodeHex } from '@wattfeed/base'
import { type JsonReader, optionalMembers } from '@wattfeed/casper/codec'
import { parseAccountHash, parseClType, parseDuration as parseNodeDuration } from '@wattfeed/casper/types'
import {
  booleanOf,
  bytesOf,
  hashOf,
  hexFault,
  InvalidParamsError,
  listOf,
  recordOf,
  requiredField,
  textOf,
  uintOf,
  variantOf,
} from '../params.ts'

/** Reads transactions and deploys like a node: unknown members and several spellings are accepted. */
export const nodeReader: JsonReader = {
  text: textOf,
  boolean: booleanOf,
  u8: (json) => uintOf(json, 0xff),
  u32: (json) => uintOf(json, 0xffff_ffff),
  u64: (json) => uintOf(json),
  bytes: (json) => bytesOf(json),
  hash: hashOf,
  publicKey: parsePublicKey,
  signature: (json) => parseTagged(json, 'signature', { ed25519: 64, secp256k1: 64 }),
  accountHash: (json) => encodeHex(parseAccountHashText(textOf(json))),
  timestamp: parseTimestamp,
  duration: (json) => parseDuration(textOf(json)),
  clType: (json) => orInvalid(() => parseClType(json), 'cl_type: '),
  list: listOf,
  pair: listOf,
  members(json, _, names) {
    for (const name of names) if (!optionalMembers.includes(name)) requiredField(json, name)
    return recordOf(json)
  },
  variant: (json, _, kinds) => variantOf(json, Object.keys(kinds)),
}

/** Returns a public key in lower-case hex, with the algorithm byte. */
export function parsePublicKey(value: unknown): string {
  return parseTagged(value, 'public key', { ed25519: 32, secp256k1: 33 })
}

const algorithms: Readonly<Partial<Record<number, 'ed25519' | 'secp256k1'>>> = {
  1: 'ed25519',
  2: 'secp256k1',
}

/** Parses hex that starts with the byte of an algorithm, which determines the length of the rest. */
function parseTagged(value: unknown, what: string, lengths: { ed25519: number; secp256k1: number }): string {
  const bytes = bytesOf(value, 'decoding from hex: ')
  const [tag = 'none'] = bytes
  const algorithm = tag === 'none' ? undefined : algorithms[tag]
  if (algorithm === undefined) throw new InvalidParamsError({ rule: `invalid tag for ${what}: ${tag}` })
  const length = lengths[algorithm]
  if (bytes.length === length + 1) return encodeHex(bytes)
  throw new InvalidParamsError({ rule: `failed to parse ${algorithm} ${what}: expected ${length} bytes` })
}

const ACCOUNT_HASH = 'account-hash-'

/** Parses `account-hash-…`. @throws {InvalidParamsError} */
export function parseAccountHashText(text: string): Uint8Array {
  if (!text.startsWith(ACCOUNT_HASH)) throw new InvalidParamsError({ rule: 'invalid prefix' })
  const hash = parseAccountHash(text.toLowerCase())
  if (hash !== null) return hash
  throw new InvalidParamsError({ rule: addressFault(text.slice(ACCOUNT_HASH.length)) })
}

/** Returns the node's message for an address that is not 64 hex digits. */
export function addressFault(digits: string): string {
  const fault = hexFault(digits)
  return fault === null
    ? 'hash from string error: could not convert slice to array'
    : `decode from hex: ${fault}`
}

/** Parses a duration like a node. Returns milliseconds. */
export const parseDuration = (text: string): number => orInvalid(() => parseNodeDuration(text))

/** Rethrows what the shared decoders reject as a node's error. */
function orInvalid<T>(parse: () => T, context = ''): T {
  try {
    return parse()
  } catch (error) {
    throw error instanceof DecodeError ? new InvalidParamsError({ rule: context + error.rule }) : error
  }
}

/** Parses an RFC 3339 time in UTC. Returns epoch milliseconds. */
export function parseTimestamp(value: unknown): number {
  const text = textOf(value)
  const isRfc3339 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?$/.test(text)
  if (!isRfc3339) throw new InvalidParamsError({ rule: 'timestamp format is invalid' })
  const timestampMs = Date.parse(`${text.replace(' ', 'T').replace('Z', '')}Z`)
  if (timestampMs >= 0 && isDay(timestampMs, text)) return timestampMs
  throw new InvalidParamsError({ rule: 'timestamp is out of range' })
}

/** Returns whether the day exists: JavaScript parses February 30 as March 2. */
const isDay = (timestampMs: number, text: string): boolean =>
  new Date(timestampMs).toISOString().slice(0, 10) === text.slice(0, 10)
