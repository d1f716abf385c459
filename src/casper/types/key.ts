import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'

/**
 * The first byte of a serialized `Key`, which says what it addresses.
 *
 * Keys are held in serialized form: the tag, the address, and for a URef its access rights.
 */
export const keyTags = {
  account: 0,
  hash: 1,
  uref: 2,
  transfer: 3,
  deployInfo: 4,
  eraInfo: 5,
  balance: 6,
  bid: 7,
  withdraw: 8,
  dictionary: 9,
  systemEntityRegistry: 10,
  eraSummary: 11,
  unbond: 12,
  chainspecRegistry: 13,
  checksumRegistry: 14,
  bidAddr: 15,
  package: 16,
  addressableEntity: 17,
  byteCode: 18,
  message: 19,
  namedKey: 20,
  blockGlobal: 21,
  balanceHold: 22,
  entryPoint: 23,
  state: 24,
} as const

/** Text prefixes, by tag, of keys that consist of one address. */
export const addressPrefixes = [
  'account-hash-',
  'hash-',
  'uref-',
  'transfer-',
  'deploy-',
  undefined,
  'balance-',
  'bid-',
  'withdraw-',
  'dictionary-',
  undefined,
  'era-summary-',
]

/** Reads a key and formats it as a node does. */
export type PrintKey = (cursor: Cursor) => string

/**
 * Reads and formats a key of one address, the only kinds that readers need. The others are in `keyKinds.ts`, to keep
 * the library small.
 *
 * @throws {DecodeError} on any other kind.
 */
export const printAddressKey: PrintKey = (cursor) => {
  const tag = cursor.u8()
  const prefix = addressPrefixes[tag]
  if (prefix === undefined) throw new DecodeError('Key', `tag ${tag} is unknown`)
  return prefix === 'uref-' ? printUref(cursor) : printHash(cursor, prefix)
}

/**
 * Encodes a formatted key of one address as global state does: a URef without its access rights.
 *
 * @throws {DecodeError} if the text is not such a key.
 *
 * @example
 * ```ts
 * encodeKey('hash-554b659ded7e832604c23bb9f9bc2147da30ea11a4e4730618bd0fb1b967fd76')
 * ```
 */
export function encodeKey(text: string): Uint8Array {
  const [, prefix = '', hex = '', rights] = /^([a-z-]+-)([0-9a-f]{64})(-[0-7]{3})?$/.exec(text) ?? []
  const tag = addressPrefixes.indexOf(prefix)
  const isUref = prefix === 'uref-'
  if (tag < 0 || isUref !== (rights !== undefined))
    throw new DecodeError('Key', `${JSON.stringify(text.slice(0, 100))} is no key of global state`)
  return addressKey(tag, hexToBytes(isUref ? `${hex}00` : hex))
}

/** Creates a key of one 32-byte address. */
export function addressKey(tag: number, address: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(tag), address)
}

export const accountKey = (accountHash: Uint8Array): Uint8Array => addressKey(keyTags.account, accountHash)

/** The key of a contract, a contract package or a contract's wasm. */
export const hashKey = (hash: Uint8Array): Uint8Array => addressKey(keyTags.hash, hash)

/** The key of a dictionary item by its address. */
export const dictionaryKey = (address: Uint8Array): Uint8Array => addressKey(9, address)

/** Returns a dictionary item's address: a hash of the seed's address and the item key. */
export function dictionaryAddress(seedUref: string, itemKey: string): Uint8Array {
  const seed = addressOf(encodeKey(seedUref))
  return blake2b(concatBytes(seed, utf8ToBytes(itemKey)), { dkLen: 32 })
}

/** The key of a URef: its address and its access rights, 33 bytes. */
export const urefKey = (uref: Uint8Array): Uint8Array => addressKey(keyTags.uref, uref)

/** The key of the last era's payouts. */
export const eraSummaryKey = (): Uint8Array => addressKey(keyTags.eraSummary, new Uint8Array(32))

/** Returns the address in a key of one address. */
export const addressOf = (key: Uint8Array): Uint8Array => key.subarray(1, 33)

const ACCESS_RIGHTS_OFFSET = 33

/** Returns the key as global state uses it: a URef without access rights. */
export function normalizeKey(key: Uint8Array): Uint8Array {
  if (key[0] !== keyTags.uref || key[ACCESS_RIGHTS_OFFSET] === 0) return key
  const normalized = key.slice()
  normalized[ACCESS_RIGHTS_OFFSET] = 0
  return normalized
}

/** Returns the normalized key as lower-case hex. */
export const stateKey = (key: Uint8Array): string => encodeHex(normalizeKey(key))

/** A URef's access rights: bits of its last byte. */
export const accessRights = { none: 0, read: 1, write: 2, add: 4, all: 7 } as const

/** Creates a URef as stored in a value: 32 bytes of address, one of access rights. */
export function createUref(address: Uint8Array, rights: number): Uint8Array {
  return concatBytes(address, Uint8Array.of(rights))
}

/** Reads a URef's 33 bytes. @throws {DecodeError} on unknown access rights. */
export function readUref(cursor: Cursor): Uint8Array {
  const uref = cursor.bytes(33)
  if ((uref[32] ?? 0) > 7) throw new DecodeError('URef', 'no such access rights')
  return uref
}

/** Reads 32 bytes and formats them as a node does, after a prefix: `hash-…`. */
export const printHash = (cursor: Cursor, prefix: string): string => prefix + encodeHex(cursor.bytes(32))

/** Formats a URef's 33 bytes as a node does: `uref-…-007`, the rights in octal. */
export const formatUref = (uref: Uint8Array): string =>
  `uref-${encodeHex(uref.subarray(0, 32))}-${(uref[32] ?? 0).toString(8).padStart(3, '0')}`

/** Reads a URef and formats it as a node does. @throws {DecodeError} on unknown access rights. */
export const printUref = (cursor: Cursor): string => formatUref(readUref(cursor))

/** Formats rights as the node's errors do: `READ_ADD_WRITE`, `NONE`. */
export function formatAccessRights(rights: number): string {
  const names = { READ: accessRights.read, ADD: accessRights.add, WRITE: accessRights.write }
  const held = Object.entries(names).flatMap(([name, bit]) => ((rights & bit) === 0 ? [] : [name]))
  return held.length === 0 ? 'NONE' : held.join('_')
}
