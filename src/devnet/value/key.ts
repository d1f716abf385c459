import { type Cursor, createCursor, DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import { concatBytes } from './concatBytes.ts'

/**
 * The first byte of a serialized `Key`: what it is an address of.
 *
 * A key is kept as its serialized bytes everywhere in the devnet: the tag, then the address, and for a URef its access
 * rights.
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

/** How many bytes follow the tag, of the kinds where all keys are equally long. */
const lengths: Readonly<Record<number, number>> = {
  [keyTags.uref]: 33,
  [keyTags.eraInfo]: 8,
  [keyTags.addressableEntity]: 33,
  [keyTags.namedKey]: 65,
  [keyTags.balanceHold]: 41,
  [keyTags.entryPoint]: 66,
  [keyTags.state]: 33,
}

const ACCESS_RIGHTS_OFFSET = 33
const MOST_RIGHTS = 7

/** Reads one serialized key. Throws a `DecodeError` where there is none. */
export function readKey(cursor: Cursor): Uint8Array {
  const tag = cursor.u8()
  if (tag === keyTags.bidAddr) return readBidAddr(cursor)
  if (tag === keyTags.byteCode) return readByteCode(cursor)
  if (tag === keyTags.message) return readMessage(cursor)
  if (tag > keyTags.state) throw new DecodeError('Key', `there is no kind ${tag}`)
  const key = concatBytes(Uint8Array.of(tag), cursor.bytes(lengths[tag] ?? 32))
  assertParts(tag, key)
  return key
}

/** Checks the bytes that are no addresses: rights, and what kind of entity, hold or block value it is. */
function assertParts(tag: number, key: Uint8Array): void {
  const [, kind = 0] = key
  const isEntity = tag === keyTags.addressableEntity || tag === keyTags.namedKey || tag === keyTags.state
  if (tag === keyTags.uref && (key[ACCESS_RIGHTS_OFFSET] ?? 0) > MOST_RIGHTS) throw badKey('access rights')
  if (isEntity && kind > 2) throw badKey('kind of entity')
  if (tag === keyTags.blockGlobal && kind > 3) throw badKey('kind of block value')
  if (tag === keyTags.balanceHold && kind > 1) throw badKey('kind of hold')
  if (tag === keyTags.entryPoint && (kind !== 0 || (key[2] ?? 0) > 2)) throw badKey('kind of entry point')
}

const badKey = (what: string): DecodeError => new DecodeError('Key', `no such ${what}`)

/** Decodes exactly one key. Throws a `DecodeError`. */
export function decodeKey(bytes: Uint8Array): Uint8Array {
  const cursor = createCursor(bytes, 'Key')
  const key = readKey(cursor)
  cursor.end()
  return key
}

/** Two addresses in all but these: the kind of one validator (0, 1, 9) and a validator's credit of an era (4). */
const bidAddrLengths: readonly number[] = [32, 32, 64, 64, 40, 64, 64, 64, 64, 32]

function readBidAddr(cursor: Cursor): Uint8Array {
  const kind = cursor.u8()
  const length = bidAddrLengths[kind]
  if (length === undefined) throw badKey('kind of bid')
  return concatBytes(Uint8Array.of(keyTags.bidAddr, kind), cursor.bytes(length))
}

function readByteCode(cursor: Cursor): Uint8Array {
  const kind = cursor.u8()
  if (kind > 2) throw badKey('kind of byte code')
  return concatBytes(Uint8Array.of(keyTags.byteCode, kind), cursor.bytes(kind === 0 ? 0 : 32))
}

/** The entity, the hash of the topic's name, and the message's index where it is not the topic itself. */
function readMessage(cursor: Cursor): Uint8Array {
  const addresses = cursor.bytes(65)
  const hasIndex = cursor.u8()
  if ((addresses[0] ?? 0) > 2 || hasIndex > 1) throw badKey('kind of message')
  const index = cursor.bytes(hasIndex === 1 ? 4 : 0)
  return concatBytes(Uint8Array.of(keyTags.message), addresses, Uint8Array.of(hasIndex), index)
}

/** A key of one 32-byte address. */
export function addressKey(tag: number, address: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(tag), address)
}

export const accountKey = (accountHash: Uint8Array): Uint8Array => addressKey(keyTags.account, accountHash)

/** The key of a contract, a contract package or a contract's wasm. */
export const hashKey = (hash: Uint8Array): Uint8Array => addressKey(keyTags.hash, hash)

export const dictionaryKey = (address: Uint8Array): Uint8Array => addressKey(keyTags.dictionary, address)

/** The key of a URef: its address and its access rights, 33 bytes. */
export const urefKey = (uref: Uint8Array): Uint8Array => addressKey(keyTags.uref, uref)

/** What the last era paid to whom stands there. */
export const eraSummaryKey = addressKey(keyTags.eraSummary, new Uint8Array(32))

/** A URef, as it stands in a value: 32 bytes of address, one of access rights. */
export function createUref(address: Uint8Array, rights: number): Uint8Array {
  return concatBytes(address, Uint8Array.of(rights))
}

/** The address in a key of one address, and in a URef's. */
export const addressOf = (key: Uint8Array): Uint8Array => key.subarray(1, 33)

/** The key as global state knows it: a URef without access rights. */
export function normalizeKey(key: Uint8Array): Uint8Array {
  if (key[0] !== keyTags.uref || key[ACCESS_RIGHTS_OFFSET] === 0) return key
  const normalized = key.slice()
  normalized[ACCESS_RIGHTS_OFFSET] = 0
  return normalized
}

/** The lower-case hex text under which global state keeps what a key names. */
export const stateKey = (key: Uint8Array): string => encodeHex(normalizeKey(key))
