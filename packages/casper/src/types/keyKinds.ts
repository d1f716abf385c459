import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  type Cursor,
  createByteWriter,
  createCursor,
  DecodeError,
  decodeHex,
  encodeHex,
} from '@wattfeed/base'
import {
  addressKey,
  addressOf,
  createUref,
  formatUref,
  keyTags,
  normalizeKey,
  readUref,
  urefKey,
} from './key.ts'

/** Number of bytes after the tag, for kinds of fixed length. Unlisted kinds have 32. */
const lengths: Readonly<Record<number, number>> = {
  [keyTags.eraInfo]: 8,
  [keyTags.addressableEntity]: 33,
  [keyTags.namedKey]: 65,
  [keyTags.balanceHold]: 41,
  [keyTags.entryPoint]: 66,
  [keyTags.state]: 33,
}

const variableKinds: ReadonlySet<number | undefined> = new Set([
  keyTags.bidAddr,
  keyTags.byteCode,
  keyTags.message,
  keyTags.entryPoint,
])

/** Returns whether all keys of a serialized key's kind have the same length. */
export const hasFixedLength = ([tag]: Uint8Array): boolean => !variableKinds.has(tag)

/**
 * Reads a key of any kind.
 *
 * @param tag - the first byte; given if the caller has read it
 * @throws {DecodeError}
 */
export function readKey(cursor: Cursor, tag: number = cursor.u8()): Uint8Array {
  if (tag === keyTags.uref) return urefKey(readUref(cursor))
  if (tag === keyTags.bidAddr) return readBidAddr(cursor)
  if (tag === keyTags.byteCode) return readByteCode(cursor)
  if (tag === keyTags.message) return readMessage(cursor)
  if (tag > keyTags.rewardsHandling) throw new DecodeError('Key', `unknown kind ${tag}`)
  const key = concatBytes(Uint8Array.of(tag), cursor.bytes(lengths[tag] ?? 32))
  assertParts(tag, key)
  return key
}

/** Checks the bytes that are not part of an address: the kind of entity, hold, entry point or block value. */
function assertParts(tag: number, key: Uint8Array): void {
  const [, kind = 0] = key
  const isEntity = tag === keyTags.addressableEntity || tag === keyTags.namedKey || tag === keyTags.state
  if (isEntity && kind > 2) throw badKey('kind of entity')
  if (tag === keyTags.blockGlobal && kind > 3) throw badKey('kind of block value')
  if (tag === keyTags.balanceHold && kind > 1) throw badKey('kind of hold')
  if (tag === keyTags.entryPoint && (kind !== 0 || (key[2] ?? 0) > 2)) throw badKey('kind of entry point')
}

const badKey = (what: string): DecodeError => new DecodeError('Key', `unknown ${what}`)

/** Decodes the bytes of a key and checks them. @throws {DecodeError} */
export function decodeKey(bytes: Uint8Array): Uint8Array {
  const cursor = createCursor(bytes, 'Key')
  const key = readKey(cursor)
  cursor.end()
  return key
}

/** Lengths by kind. Kinds 0, 1 and 9 are one address, kind 4 is an address and an era, the others are two addresses. */
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

/** Reads the entity and the hash of the topic's name. The key of a message has an index, the key of a topic has none. */
function readMessage(cursor: Cursor): Uint8Array {
  const addresses = cursor.bytes(65)
  const hasIndex = cursor.u8()
  if ((addresses[0] ?? 0) > 2 || hasIndex > 1) throw badKey('kind of message')
  const index = cursor.bytes(hasIndex === 1 ? 4 : 0)
  return concatBytes(Uint8Array.of(keyTags.message), addresses, Uint8Array.of(hasIndex), index)
}

/** Text prefixes by tag, for kinds whose format is a prefix and hex. */
const prefixes: Readonly<Record<number, string | undefined>> = {
  [keyTags.account]: 'account-hash-',
  [keyTags.hash]: 'hash-',
  [keyTags.transfer]: 'transfer-',
  [keyTags.deployInfo]: 'deploy-',
  [keyTags.balance]: 'balance-',
  [keyTags.bid]: 'bid-',
  [keyTags.withdraw]: 'withdraw-',
  [keyTags.dictionary]: 'dictionary-',
  [keyTags.systemEntityRegistry]: 'system-entity-registry-',
  [keyTags.eraSummary]: 'era-summary-',
  [keyTags.unbond]: 'unbond-',
  [keyTags.chainspecRegistry]: 'chainspec-registry-',
  [keyTags.checksumRegistry]: 'checksum-registry-',
  [keyTags.bidAddr]: 'bid-addr-',
  [keyTags.package]: 'package-',
  [keyTags.balanceHold]: 'balance-hold-',
  [keyTags.rewardsHandling]: 'rewards-handling-',
}

const entityPrefixes = ['entity-system-', 'entity-account-', 'entity-contract-'] as const
const blockGlobalPrefixes = [
  'block-time-',
  'block-message-count-',
  'block-protocol-version-',
  'block-addressable-entity-',
] as const
const byteCodePrefixes = ['byte-code-empty-', 'byte-code-v1-wasm-', 'byte-code-v2-wasm-'] as const

/** Formats a serialized key like a node: `hash-…`, `uref-…-007`, `message-topic-entity-contract-…-…`. */
export function formatKey(key: Uint8Array): string {
  const [tag = 0, kind = 0] = key
  if (tag === keyTags.uref) return formatUref(key.subarray(1))
  const prefix = prefixes[tag]
  if (prefix !== undefined) return prefix + encodeHex(key.subarray(1))
  switch (tag) {
    case keyTags.eraInfo:
      return `era-${new DataView(key.buffer, key.byteOffset).getBigUint64(1, true)}`
    case keyTags.addressableEntity:
      return formatEntity(key.subarray(1))
    case keyTags.byteCode:
      return `${byteCodePrefixes[kind]}${kind === 0 ? '0'.repeat(64) : encodeHex(key.subarray(2))}`
    case keyTags.message:
      return formatMessage(key)
    case keyTags.namedKey:
      return `named-key-${formatEntity(key.subarray(1, 34))}-${encodeHex(key.subarray(34))}`
    case keyTags.blockGlobal:
      return `${blockGlobalPrefixes[kind]}${encodeHex(key.subarray(2))}`
    case keyTags.entryPoint:
      return `entry-point-v1-${formatEntity(key.subarray(2, 35))}-${encodeHex(key.subarray(35))}`
    default:
      return `state-${formatEntity(key.subarray(1))}`
  }
}

const formatEntity = (entity: Uint8Array): string =>
  `${entityPrefixes[entity[0] ?? 0]}${encodeHex(entity.subarray(1))}`

function formatMessage(key: Uint8Array): string {
  const topic = `${formatEntity(key.subarray(1, 34))}-${encodeHex(key.subarray(34, 66))}`
  if (key[66] === 0) return `message-topic-${topic}`
  const index = new DataView(key.buffer, key.byteOffset).getUint32(67, true)
  return `message-${topic}-${index.toString(16)}`
}

/** Parses a key in the node's format and returns it serialized. @throws {DecodeError} */
export function parseKey(text: string): Uint8Array {
  try {
    return decodeKey(parseSpecial(text) ?? parsePrefixed(text))
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new DecodeError('Key', `expected a key of global state, got ${JSON.stringify(text.slice(0, 100))}`)
  }
}

/** Encodes a formatted key in the form that global state uses: URefs have no access rights. @throws {DecodeError} */
export const encodeKey = (text: string): Uint8Array => normalizeKey(parseKey(text))

/**
 * Returns the address of a dictionary item, which is a hash of the seed's address and the item key.
 *
 * @throws {DecodeError} when the seed is not a URef.
 */
export function dictionaryAddress(seedUref: string, itemKey: string): Uint8Array {
  const seed = encodeKey(seedUref)
  if (seed[0] !== keyTags.uref) throw new DecodeError('Key', 'the seed of a dictionary must be a URef')
  return blake2b(concatBytes(addressOf(seed), utf8ToBytes(itemKey)), { dkLen: 32 })
}

/** The longest matching prefix wins: `balance-hold-` before `balance-`. */
function parsePrefixed(text: string): Uint8Array {
  const [longest] = Object.entries(prefixes)
    .flatMap(([tag, prefix]) => (prefix && text.startsWith(prefix) ? [{ tag: Number(tag), prefix }] : []))
    .sort((a, b) => b.prefix.length - a.prefix.length)
  if (longest === undefined) throw badKey('prefix')
  return addressKey(longest.tag, decodeHex(text.slice(longest.prefix.length), 'key'))
}

type Parser = (match: RegExpExecArray) => Uint8Array

const HASH = '([0-9a-fA-F]{64})'
const ENTITY = `(entity-(?:system|account|contract)-)${HASH}`

const parsers: readonly [RegExp, Parser][] = [
  [
    new RegExp(`^uref-${HASH}-00([0-7])$`),
    ([, address = '', rights = '']) => urefKey(createUref(hex(address), Number(rights))),
  ],
  [/^era-(\d{1,20})$/, ([, era = '0']) => createByteWriter().u8(keyTags.eraInfo).u64(BigInt(era)).finish()],
  [
    new RegExp(`^${ENTITY}$`),
    ([, kind = '', hash = '']) =>
      concatBytes(Uint8Array.of(keyTags.addressableEntity), parseEntity(kind, hash)),
  ],
  [
    new RegExp(`^message-topic-${ENTITY}-${HASH}$`),
    ([, kind = '', hash = '', topic = '']) =>
      concatBytes(Uint8Array.of(keyTags.message), parseEntity(kind, hash), hex(topic), Uint8Array.of(0)),
  ],
  [
    new RegExp(`^message-${ENTITY}-${HASH}-([0-9a-f]{1,8})$`),
    ([, kind = '', hash = '', topic = '', index = '']) =>
      createByteWriter()
        .u8(keyTags.message)
        .bytes(parseEntity(kind, hash))
        .bytes(hex(topic))
        .u8(1)
        .u32(Number.parseInt(index, 16))
        .finish(),
  ],
  [
    new RegExp(`^named-key-${ENTITY}-${HASH}$`),
    ([, kind = '', hash = '', name = '']) =>
      concatBytes(Uint8Array.of(keyTags.namedKey), parseEntity(kind, hash), hex(name)),
  ],
  [
    new RegExp(`^entry-point-v1-${ENTITY}-${HASH}$`),
    ([, kind = '', hash = '', name = '']) =>
      concatBytes(Uint8Array.of(keyTags.entryPoint, 0), parseEntity(kind, hash), hex(name)),
  ],
  [
    new RegExp(`^state-${ENTITY}$`),
    ([, kind = '', hash = '']) => concatBytes(Uint8Array.of(keyTags.state), parseEntity(kind, hash)),
  ],
  [
    /^(block-(?:time|message-count|protocol-version|addressable-entity)-)((?:00){31})$/,
    ([, prefix = '', padding = '']) =>
      concatBytes(Uint8Array.of(keyTags.blockGlobal, indexOf(blockGlobalPrefixes, prefix)), hex(padding)),
  ],
  [
    new RegExp(`^(byte-code-(?:empty|v1-wasm|v2-wasm)-)${HASH}$`),
    ([, prefix = '', hash = '']) => {
      const kind = indexOf(byteCodePrefixes, prefix)
      return concatBytes(Uint8Array.of(keyTags.byteCode, kind), kind === 0 ? new Uint8Array() : hex(hash))
    },
  ],
]

function parseSpecial(text: string): Uint8Array | null {
  for (const [pattern, parse] of parsers) {
    const match = pattern.exec(text)
    if (match !== null) return parse(match)
  }
  return null
}

const hex = (text: string): Uint8Array => decodeHex(text, 'key')

const indexOf = (prefixes: readonly string[], prefix: string): number => prefixes.indexOf(prefix)

const parseEntity = (kind: string, hash: string): Uint8Array =>
  concatBytes(Uint8Array.of(indexOf(entityPrefixes, kind)), hex(hash))
