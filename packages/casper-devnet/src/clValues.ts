/**
 * Makes the typed values that contracts take as arguments, one function for each `CLType`. Types are in the form of a node's JSON: `'U32'`,
 * `{ List: 'U8' }`.
 *
 * Each function throws an {@link InvalidArgumentError} that names the type, its rule and what it got.
 */
import { createByteWriter, createCursor, DecodeError, encodeHex, InvalidArgumentError } from '@wattfeed/base'
import {
  type ClType,
  type ClValue,
  encodeBigUint,
  encodeText,
  parseClType,
  parseKey,
  publicKeyPattern,
  readUref,
  unitValue,
} from '@wattfeed/casper/types'
import { describeValue } from './describeValue.ts'
import { isClValue } from './isClValue.ts'

function refuse(type: string, rule: string, got: unknown): never {
  throw new InvalidArgumentError(type, `${rule}, not ${describeValue(got)}`)
}

/** Creates a `Bool`. */
export function bool(value: boolean): ClValue {
  if (typeof value !== 'boolean') refuse('bool', 'true or false', value)
  return { clType: 'Bool', bytes: Uint8Array.of(value ? 1 : 0) }
}

/** Creates an `I32`: -2^31 to 2^31 - 1. */
export function i32(value: number | bigint): ClValue {
  return { clType: 'I32', bytes: littleEndian(signed('i32', value, 32), 4) }
}

/** Creates an `I64`: -2^63 to 2^63 - 1. */
export function i64(value: number | bigint): ClValue {
  return { clType: 'I64', bytes: littleEndian(signed('i64', value, 64), 8) }
}

/** Creates a `U8`: 0 to 255. */
export function u8(value: number | bigint): ClValue {
  return { clType: 'U8', bytes: littleEndian(unsigned('u8', value, 8), 1) }
}

/** Creates a `U32`: 0 to 2^32 - 1. */
export function u32(value: number | bigint): ClValue {
  return { clType: 'U32', bytes: littleEndian(unsigned('u32', value, 32), 4) }
}

/** Creates a `U64`: 0 to 2^64 - 1. */
export function u64(value: number | bigint): ClValue {
  return { clType: 'U64', bytes: littleEndian(unsigned('u64', value, 64), 8) }
}

/** Creates a `U128`: 0 to 2^128 - 1. */
export function u128(value: number | bigint): ClValue {
  return { clType: 'U128', bytes: encodeBigUint(unsigned('u128', value, 128), 16) }
}

/** Creates a `U256`: 0 to 2^256 - 1. Tokens count in it. */
export function u256(value: number | bigint): ClValue {
  return { clType: 'U256', bytes: encodeBigUint(unsigned('u256', value, 256), 32) }
}

/** Creates a `U512`: 0 to 2^512 - 1. Motes are counted in it. */
export function u512(value: number | bigint): ClValue {
  return { clType: 'U512', bytes: encodeBigUint(unsigned('u512', value, 512), 64) }
}

/** Creates the `Unit`, which is nothing. */
export const unit = (): ClValue => unitValue

/** Creates a `String`. */
export function string(text: string): ClValue {
  if (typeof text !== 'string' || !text.isWellFormed())
    refuse('string', 'text without lone surrogates, because the chain stores UTF-8', text)
  return { clType: 'String', bytes: encodeText(text) }
}

/** Creates a `Key` from a node's text: `account-hash-…`, `hash-…` of a contract or a package, `uref-…-007`. Odra's `Address` is one. */
export function key(text: string): ClValue {
  const rule = 'a key as a node writes it: account-hash-…, hash-… or uref-…-007'
  if (typeof text !== 'string') refuse('key', rule, text)
  return { clType: 'Key', bytes: decoded(() => parseKey(text)) ?? refuse('key', rule, text) }
}

/** Creates a `URef` from a node's text: `uref-…-007`. The end are its access rights. */
export function uref(text: string): ClValue {
  const rule = 'a URef as a node writes it: uref-, 64 hex digits and -000 to -007'
  if (typeof text !== 'string' || !text.startsWith('uref-')) refuse('uref', rule, text)
  const bytes = decoded(() => readUref(createCursor(parseKey(text).subarray(1), 'URef')))
  return { clType: 'URef', bytes: bytes ?? refuse('uref', rule, text) }
}

/** Creates a `PublicKey` from hex, which starts with the algorithm: `01` Ed25519, `02` secp256k1. */
export function publicKey(hex: string): ClValue {
  if (typeof hex !== 'string' || !new RegExp(`^(${publicKeyPattern})$`, 'i').test(hex))
    refuse('publicKey', 'hex: 01 and 64 digits, or 02 and 66 digits', hex)
  return { clType: 'PublicKey', bytes: Uint8Array.fromHex(hex) }
}

/** Creates a `ByteArray` of a fixed length, such as a hash. @param bytes - the bytes, or their hex */
export function byteArray(bytes: Uint8Array | string): ClValue {
  const found = bytesOf('byteArray', bytes)
  return { clType: { ByteArray: found.length }, bytes: found }
}

/** Creates a `List` of `U8`: Rust's `Bytes` and `Vec<u8>`. @param bytes - the bytes, or their hex */
export function bytes(bytes: Uint8Array | string): ClValue {
  return { clType: { List: 'U8' }, bytes: createByteWriter().byteList(bytesOf('bytes', bytes)).finish() }
}

/** Creates an `Any` from its `bytesrepr`: that of a struct is its fields in order. @param bytes - the bytes, or their hex */
export function any(bytes: Uint8Array | string): ClValue {
  return { clType: 'Any', bytes: bytesOf('any', bytes) }
}

/**
 * Creates an `Option`.
 *
 * @param value - what it holds; null for `None`
 * @param type - type of what it would hold; needed for `None` only
 */
export function option(value: ClValue | null, type?: ClType): ClValue {
  if (value !== null) {
    const { clType, bytes } = oneOf('option', value, type)
    return { clType: { Option: clType }, bytes: createByteWriter().u8(1).bytes(bytes).finish() }
  }
  return { clType: { Option: needed('option', type, "option(null, 'U32')") }, bytes: Uint8Array.of(0) }
}

/**
 * Creates a `List`.
 *
 * @param values - items, all of one type
 * @param type - type of the items; needed for an empty list only
 */
export function list(values: readonly ClValue[], type?: ClType): ClValue {
  if (!Array.isArray(values)) refuse('list', 'a list of values such as [cl.u32(5)]', values)
  const itemType = type ?? values[0]?.clType
  const items = values.map((value, index) => oneOf(`list[${index}]`, value, itemType))
  const writer = createByteWriter()
  writer.list(items, ({ bytes }) => writer.bytes(bytes))
  return { clType: { List: needed('list', itemType, "list([], 'U32')") }, bytes: writer.finish() }
}

/**
 * Creates a `Map`, Rust's `BTreeMap`.
 *
 * @param entries - keys and values, each of one type
 * @param types - types of keys and values; needed for an empty map only
 */
export function map(
  entries: readonly (readonly [key: ClValue, value: ClValue])[],
  types?: { readonly key: ClType; readonly value: ClType },
): ClValue {
  if (!Array.isArray(entries) || !entries.every((each) => Array.isArray(each) && each.length === 2))
    refuse('map', "a list of pairs such as [[cl.string('a'), cl.u32(5)]]", entries)
  const example = "map([], { key: 'String', value: 'U32' })"
  const key = needed('map', types?.key ?? entries[0]?.[0].clType, example)
  const value = needed('map', types?.value ?? entries[0]?.[1].clType, example)
  const pairs = entries.map((entry, index): [ClValue, ClValue] => [
    oneOf(`map[${index}].key`, entry[0], key),
    oneOf(`map[${index}].value`, entry[1], value),
  ])
  if (new Set(pairs.map(([{ bytes }]) => encodeHex(bytes))).size < pairs.length)
    refuse('map', 'pairs with different keys', entries)
  const writer = createByteWriter()
  writer.list(pairs, ([{ bytes: keyBytes }, { bytes: valueBytes }]) =>
    writer.bytes(keyBytes).bytes(valueBytes),
  )
  return { clType: { Map: { key, value } }, bytes: writer.finish() }
}

/** Creates a `Result` that is `Ok`. @param err - type of the error that it could hold */
export function ok(value: ClValue, err: ClType): ClValue {
  const { clType, bytes } = oneOf('ok', value)
  const type = { Result: { ok: clType, err: needed('ok', err, "ok(cl.unit(), 'String')") } }
  return { clType: type, bytes: createByteWriter().u8(1).bytes(bytes).finish() }
}

/** Creates a `Result` that is `Err`. @param ok - type of the value that it could hold */
export function err(value: ClValue, ok: ClType): ClValue {
  const { clType, bytes } = oneOf('err', value)
  const type = { Result: { ok: needed('err', ok, "err(cl.string('no'), 'Unit')"), err: clType } }
  return { clType: type, bytes: createByteWriter().u8(0).bytes(bytes).finish() }
}

/** Creates a `Tuple1`. */
export function tuple1(first: ClValue): ClValue {
  const [a] = [oneOf('tuple1[0]', first)]
  return { clType: { Tuple1: [a.clType] }, bytes: a.bytes }
}

/** Creates a `Tuple2`. */
export function tuple2(first: ClValue, second: ClValue): ClValue {
  const [a, b] = [oneOf('tuple2[0]', first), oneOf('tuple2[1]', second)]
  return { clType: { Tuple2: [a.clType, b.clType] }, bytes: joined(a, b) }
}

/** Creates a `Tuple3`. */
export function tuple3(first: ClValue, second: ClValue, third: ClValue): ClValue {
  const [a, b, c] = [oneOf('tuple3[0]', first), oneOf('tuple3[1]', second), oneOf('tuple3[2]', third)]
  return { clType: { Tuple3: [a.clType, b.clType, c.clType] }, bytes: joined(a, b, c) }
}

const joined = (...values: readonly ClValue[]): Uint8Array =>
  values.reduce((writer, { bytes }) => writer.bytes(bytes), createByteWriter()).finish()

/** Checks that a value was made here, and has a type. */
function oneOf(what: string, value: ClValue, type?: ClType): ClValue {
  if (!isClValue(value)) refuse(what, 'a value such as cl.u32(5)', value)
  if (type !== undefined && !isSameType(value.clType, type))
    throw new InvalidArgumentError(
      what,
      `of type ${JSON.stringify(type)}, not ${JSON.stringify(value.clType)}`,
    )
  return value
}

const isSameType = (a: ClType, b: ClType): boolean => Bun.deepEquals(a, b, true)

/** Returns a type that a value cannot show, because it is absent. */
function needed(what: string, type: ClType | undefined, example: string): ClType {
  const parsed = type === undefined ? null : decoded(() => parseClType(type))
  if (parsed !== null) return parsed
  const rule = `given the type that it could hold, as cl.${example}`
  return refuse(what, rule, type)
}

function bytesOf(type: string, bytes: Uint8Array | string): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes
  if (typeof bytes === 'string' && /^([0-9a-f]{2})*$/i.test(bytes)) return Uint8Array.fromHex(bytes)
  return refuse(type, 'a Uint8Array, or hex with two digits a byte', bytes)
}

function decoded<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

function unsigned(type: string, value: number | bigint, bits: number): bigint {
  return whole(type, value, { min: 0n, max: (1n << BigInt(bits)) - 1n, range: `from 0 to 2^${bits} - 1` })
}

function signed(type: string, value: number | bigint, bits: number): bigint {
  const half = 1n << BigInt(bits - 1)
  return whole(type, value, { min: -half, max: half - 1n, range: `from -2^${bits - 1} to 2^${bits - 1} - 1` })
}

function whole(
  type: string,
  value: number | bigint,
  { min, max, range }: { min: bigint; max: bigint; range: string },
): bigint {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    refuse(type, 'a bigint where it is above 2^53', value)
  const isWhole = typeof value === 'bigint' || Number.isInteger(value)
  if (!isWhole || BigInt(value) < min || BigInt(value) > max) refuse(type, `an integer ${range}`, value)
  return BigInt(value)
}

function littleEndian(value: bigint, length: number): Uint8Array {
  const bits = BigInt.asUintN(length * 8, value)
  return Uint8Array.from({ length }, (_, index) => Number((bits >> BigInt(8 * index)) & 0xffn))
}
