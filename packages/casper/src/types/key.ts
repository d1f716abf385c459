import { concatBytes } from '@noble/hashes/utils.js'
import { type Cursor, DecodeError, encodeHex } from '@wattfeed/base'

/**
 * The first byte of a serialized `Key`, which is the kind of key.
 *
 * This program represents keys in serialized form: the tag, the address, and for a URef the access rights.
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
  rewardsHandling: 25,
} as const

/** Creates a key from the byte of its kind and its address. */
export function addressKey(tag: number, address: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(tag), address)
}

/** Creates the key of an account from its hash of 32 bytes. */
export const accountKey = (accountHash: Uint8Array): Uint8Array => addressKey(keyTags.account, accountHash)

/** Creates the key of a contract or a package from its hash of 32 bytes. */
export const hashKey = (hash: Uint8Array): Uint8Array => addressKey(keyTags.hash, hash)

/** Creates the key of a dictionary item from its address of 32 bytes. */
export const dictionaryKey = (address: Uint8Array): Uint8Array => addressKey(keyTags.dictionary, address)

/** Creates the key of a URef of 33 bytes: its address and its access rights. */
export const urefKey = (uref: Uint8Array): Uint8Array => addressKey(keyTags.uref, uref)

/** Creates the key of the last era's payouts. */
export const eraSummaryKey = (): Uint8Array => addressKey(keyTags.eraSummary, new Uint8Array(32))

/** Returns the address of a key that has only one. */
export const addressOf = (key: Uint8Array): Uint8Array => key.subarray(1, 33)

const ACCESS_RIGHTS_OFFSET = 33

/** Returns the key in the form that global state uses: URefs have no access rights. */
export function normalizeKey(key: Uint8Array): Uint8Array {
  if (key[0] !== keyTags.uref || key[ACCESS_RIGHTS_OFFSET] === 0) return key
  const normalized = key.slice()
  normalized[ACCESS_RIGHTS_OFFSET] = 0
  return normalized
}

/** Returns the normalized key as lower-case hex. */
export const stateKey = (key: Uint8Array): string => encodeHex(normalizeKey(key))

/** Access rights of a URef: the bits of its last byte. */
export const accessRights = { none: 0, read: 1, write: 2, add: 4, all: 7 } as const

/** Creates a URef in its stored form: 32 bytes of address and one byte of access rights. */
export function createUref(address: Uint8Array, rights: number): Uint8Array {
  return concatBytes(address, Uint8Array.of(rights))
}

/** Reads a URef's 33 bytes. @throws {DecodeError} on unknown access rights. */
export function readUref(cursor: Cursor): Uint8Array {
  const uref = cursor.bytes(33)
  if ((uref[32] ?? 0) > 7) throw new DecodeError('URef', 'unknown access rights')
  return uref
}

/** Formats a URef of 33 bytes like a node: `uref-…-007`, with the access rights in octal. */
export const formatUref = (uref: Uint8Array): string =>
  `uref-${encodeHex(uref.subarray(0, 32))}-${(uref[32] ?? 0).toString(8).padStart(3, '0')}`

/** Formats access rights like the errors of a node: `READ_ADD_WRITE`, `NONE`. */
export function formatAccessRights(rights: number): string {
  const names = { READ: accessRights.read, ADD: accessRights.add, WRITE: accessRights.write }
  const held = Object.entries(names).flatMap(([name, bit]) => ((rights & bit) === 0 ? [] : [name]))
  return held.length === 0 ? 'NONE' : held.join('_')
}
