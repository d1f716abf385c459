import { DecodeError } from '../../bytes/cursor.ts'
import { decodeHex } from '../../bytes/hex.ts'
import { createByteWriter } from './byteWriter.ts'
import { concatBytes } from './concatBytes.ts'
import { blockGlobalPrefixes, byteCodePrefixes, entityPrefixes, keyPrefixes } from './formatKey.ts'
import { decodeKey, keyTags } from './key.ts'

/**
 * The serialized key that a text names, in the form that a node prints. Throws a `DecodeError`.
 *
 * @example
 * ```ts
 * parseKey('uref-cea0618e…-007')
 * ```
 */
export function parseKey(text: string): Uint8Array {
  const bytes = parseSpecial(text) ?? parsePrefixed(text)
  if (bytes === null) throw new DecodeError('key', 'it is in no form that a node prints')
  return decodeKey(bytes)
}

/** The longest prefix that fits counts: `balance-hold-` before `balance-`. */
function parsePrefixed(text: string): Uint8Array | null {
  const [tag, prefix] =
    Object.entries(keyPrefixes)
      .filter(([, each]) => text.startsWith(each))
      .sort(([, a], [, b]) => b.length - a.length)[0] ?? []
  if (tag === undefined || prefix === undefined) return null
  return concatBytes(Uint8Array.of(Number(tag)), decodeHex(text.slice(prefix.length), 'key'))
}

type Parser = (match: RegExpExecArray) => Uint8Array

const HASH = '([0-9a-fA-F]{64})'
const ENTITY = `(entity-(?:system|account|contract)-)${HASH}`

const parsers: readonly [RegExp, Parser][] = [
  [
    new RegExp(`^uref-${HASH}-([0-7]{3})$`),
    ([, address = '', rights = '']) =>
      concatBytes(Uint8Array.of(keyTags.uref), hex(address), Uint8Array.of(Number.parseInt(rights, 8))),
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
