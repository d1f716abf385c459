import { concatBytes } from '@noble/hashes/utils.js'
import { encodeU32 } from '@wattfeed/base'
import type { ClType } from './clType.ts'
import type { Decode } from './jsonField.ts'

/** A type of the chain: how it is in the node's JSON, and its `bytesrepr`. */
export interface Codec<T> {
  /** Reads the value from the node's JSON. `what` names it in errors. */
  parse(json: unknown, what: string, read: JsonReader): T
  /** Returns the parts that the value adds to the struct or the variant around it: one for each field. */
  encode(value: T): readonly Uint8Array[]
}

/** The value that a codec describes; null for a variant without content. */
export type Described<C> = C extends Codec<infer T> ? T : null

/** Returns the whole `bytesrepr`. */
export const encodeAs = <T>(codec: Codec<T>, value: T): Uint8Array => concatBytes(...codec.encode(value))

/** The types that a struct takes as one field. */
interface Leaves {
  text: string
  boolean: boolean
  u8: number
  u32: number
  u64: number
  bytes: Uint8Array
  /** 64 lower-case hex digits. */
  hash: string
  /** Lower-case hex, prefixed with the algorithm's byte. */
  publicKey: string
  /** The lower-case hex digits after `account-hash-`. */
  accountHash: string
  /** Epoch milliseconds. */
  timestamp: number
  /** Milliseconds. */
  duration: number
}

type LeafReader = { readonly [N in keyof Leaves]: Decode<Leaves[N]> }

/**
 * Reads the JSON of a {@link Codec}. A client and a node accept different spellings and have different errors, but the
 * structure is the same.
 */
export interface JsonReader extends LeafReader {
  readonly clType: Decode<ClType>
  /** 65 bytes as lower-case hex, prefixed with the algorithm's byte. */
  readonly signature: (json: unknown, what: string, signer: string) => string
  readonly list: Decode<readonly unknown[]>
  readonly pair: Decode<readonly unknown[]>
  /** Returns an object with these members, of which {@link optionalMembers} may be missing. */
  readonly members: (
    json: unknown,
    what: string,
    names: readonly string[],
  ) => Readonly<Record<string, unknown>>
  /** Reads a Rust enum's variant: an object with one member, or a text if the kind has no content. */
  readonly variant: (
    json: unknown,
    what: string,
    kinds: Readonly<Record<string, object | null>>,
  ) => { readonly name: string; readonly content: unknown }
}

/** Members of a node's JSON that may be missing. */
export const optionalMembers: readonly string[] = ['version', 'protocol_version_major', 'parsed']

export const leaf = <N extends keyof Leaves>(
  name: N,
  encode: (value: Leaves[N]) => Uint8Array,
): Codec<Leaves[N]> => ({
  parse: (json, what, read: LeafReader) => read[name](json, what),
  encode: (value) => [encode(value)],
})

type Codecs = Readonly<Record<string, Codec<unknown>>>

/** The values of a struct's fields, by name. */
export type Fields<F extends Codecs> = { readonly [N in keyof F]: Described<F[N]> }

/** The fields of a struct, one after the other, in the order of the bytes. */
export function fields<const F extends Codecs>(codecs: F): Codec<Fields<F>> {
  const entries = Object.entries(codecs)
  return {
    parse(json, what, read) {
      const members = read.members(json, what, Object.keys(codecs))
      return Object.fromEntries(
        entries.map(([name, codec]) => [name, codec.parse(members[name], name, read)]),
      ) as Fields<F>
    },
    encode: (value) => entries.flatMap(([name, codec]) => codec.encode(value[name])),
  }
}

/** Joins the fields of a struct, or the tag and the fields of a variant. */
export type Frame = (parts: readonly Uint8Array[]) => Uint8Array

/** A struct, by default with its fields in a calltable, as casper-types 2 has them. */
export function struct<const F extends Codecs>(codecs: F, frame: Frame = encodeCalltable): Codec<Fields<F>> {
  const content = fields(codecs)
  return { ...content, encode: (value) => [frame(content.encode(value))] }
}

type Kinds = Readonly<Record<string, Codec<unknown> | null>>

/** A variant of a Rust enum, and its value. */
export type Variant<K extends Kinds> = {
  [N in keyof K & string]: { readonly kind: N; readonly value: Described<K[N]> }
}[keyof K & string]

/** A Rust enum, whose variants are in the order of their tags; null has no content. */
export function variants<const K extends Kinds>(kinds: K, frame: Frame = encodeCalltable): Codec<Variant<K>> {
  const names = Object.keys(kinds)
  return {
    parse(json, what, read) {
      const { name, content } = read.variant(json, what, kinds)
      return { kind: name, value: kinds[name]?.parse(content, name, read) ?? null } as Variant<K>
    },
    encode: ({ kind, value }) => [
      frame([Uint8Array.of(names.indexOf(kind)), ...(kinds[kind]?.encode(value) ?? [])]),
    ],
  }
}

/** Enums before casper-types 2, and arguments, have no calltable. */
export const plain: Frame = (parts) => concatBytes(...parts)

/** Returns the `bytesrepr` of `Bytes`: the length, then the bytes. */
export const encodeBytes = (bytes: Uint8Array): Uint8Array => concatBytes(encodeU32(bytes.length), bytes)

/** Encodes a struct of casper-types 2: number of fields, index and offset of each, total length, and the fields. */
function encodeCalltable(fields: readonly Uint8Array[]): Uint8Array {
  const head = new Uint8Array(headBytes(fields.length))
  const view = new DataView(head.buffer)
  view.setUint32(0, fields.length, true)
  let offset = 0
  for (const [index, field] of fields.entries()) {
    view.setUint16(4 + 6 * index, index, true)
    view.setUint32(6 + 6 * index, offset, true)
    offset += field.length
  }
  view.setUint32(4 + 6 * fields.length, offset, true)
  return concatBytes(head, ...fields)
}

/** Counts the bytes of a calltable with fields of these sizes. */
export const countCalltable = (fields: readonly number[]): number =>
  fields.reduce((sum, bytes) => sum + bytes, headBytes(fields.length))

const headBytes = (fields: number): number => 8 + 6 * fields
