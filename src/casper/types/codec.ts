import { concatBytes } from '@noble/hashes/utils.js'
import { encodeCalltable } from './calltable.ts'
import type { ClType } from './clType.ts'
import type { Decode } from './jsonField.ts'

/**
 * Reads the JSON of a {@link Codec}. A client and a node accept different spellings and have different errors, but the
 * structure is the same.
 */
export interface JsonReader {
  readonly text: Decode<string>
  readonly boolean: Decode<boolean>
  readonly bytes: Decode<Uint8Array>
  /** 64 lower-case hex digits. */
  readonly hash: Decode<string>
  /** Lower-case hex, prefixed with the algorithm's byte. */
  readonly publicKey: Decode<string>
  /** 65 bytes as lower-case hex, prefixed with the algorithm's byte. */
  readonly signature: Decode<string>
  /** The lower-case hex digits after `account-hash-`. */
  readonly accountHash: Decode<string>
  /** Epoch milliseconds. */
  readonly timestamp: Decode<number>
  /** Milliseconds. */
  readonly duration: Decode<number>
  readonly clType: Decode<ClType>
  readonly list: Decode<readonly unknown[]>
  readonly pair: Decode<readonly unknown[]>
  /** Reads the absent content of a variant that has none. */
  readonly nothing: Decode<unknown>
  readonly uint: (json: unknown, what: string, max: number) => number
  /** Returns an object with these members. */
  readonly members: (
    json: unknown,
    what: string,
    required: readonly string[],
    optional: readonly string[],
  ) => Readonly<Record<string, unknown>>
  /** Reads a Rust enum's variant: an object with one member, or a text. */
  readonly variant: <N extends string>(
    json: unknown,
    what: string,
    names: readonly N[],
  ) => { readonly name: N; readonly content: unknown }
}

/** A type of the chain in its two forms: the node's JSON, and `bytesrepr`. */
export interface Codec<T> {
  /** Whether a member of this type may be missing. */
  readonly isOptional?: boolean
  parse(json: unknown, what: string, read: JsonReader): T
  format(value: T): unknown
  /** Returns the parts that the value adds to the struct or the variant around it: one for each field. */
  encode(value: T): readonly Uint8Array[]
}

/** The value that a codec describes; null for a variant without content. */
export type Described<C> = C extends Codec<infer T> ? T : null

/** Returns the whole `bytesrepr`. */
export const encodeAs = <T>(codec: Codec<T>, value: T): Uint8Array => concatBytes(...codec.encode(value))

/** A type that a struct takes as one field. */
export const leaf = <T>(
  reader: (read: JsonReader) => Decode<T>,
  encode: (value: T) => Uint8Array,
  format: (value: T) => unknown = (value) => value,
): Codec<T> => ({
  parse: (json, what, read) => reader(read)(json, what),
  format,
  encode: (value) => [encode(value)],
})

type Codecs = Readonly<Record<string, Codec<unknown>>>
type Fields<F extends Codecs> = { readonly [N in keyof F]: Described<F[N]> }

/** The fields of a struct, one after the other. @param order of the bytes, if it is not that of the JSON */
export function fields<const F extends Codecs>(
  codecs: F,
  order: readonly (keyof F & string)[] = Object.keys(codecs),
): Codec<Fields<F>> {
  const entries = Object.entries(codecs)
  const namesOf = (isOptional: boolean): string[] =>
    entries.filter(([, codec]) => (codec.isOptional ?? false) === isOptional).map(([name]) => name)
  const [required, optional] = [namesOf(false), namesOf(true)]
  const map = (convert: (codec: Codec<unknown>, name: string) => unknown): Record<string, unknown> =>
    Object.fromEntries(entries.map(([name, codec]) => [name, convert(codec, name)]))
  return {
    parse(json, what, read) {
      const members = read.members(json, what, required, optional)
      return map((codec, name) => codec.parse(members[name], name, read)) as Fields<F>
    },
    format: (value) => map((codec, name) => codec.format(value[name])),
    encode: (value) => order.flatMap((name) => codecs[name]?.encode(value[name]) ?? []),
  }
}

/** A struct of casper-types 2, whose fields are in a calltable. */
export function struct<const F extends Codecs>(codecs: F): Codec<Fields<F>> {
  const content = fields(codecs)
  return { ...content, encode: (value) => [encodeCalltable(content.encode(value))] }
}

type Kinds = Readonly<Record<string, Codec<unknown> | null>>
type Variant<K extends Kinds> = {
  [N in keyof K & string]: { readonly kind: N; readonly value: Described<K[N]> }
}[keyof K & string]

/**
 * A Rust enum, whose variants are in the order of their tags; null has no content.
 *
 * @param frame joins the tag and the fields of the content: by default to a calltable, as casper-types 2 does
 */
export function variants<const K extends Kinds>(
  kinds: K,
  frame: (parts: readonly Uint8Array[]) => Uint8Array = encodeCalltable,
): Codec<Variant<K>> {
  const names = Object.keys(kinds)
  return {
    parse(json, what, read) {
      const { name, content } = read.variant(json, what, names)
      const value = kinds[name]?.parse(content, name, read) ?? null
      if (kinds[name] === null) read.nothing(content, what)
      return { kind: name, value } as Variant<K>
    },
    format: ({ kind, value }) => (kinds[kind] == null ? kind : { [kind]: kinds[kind].format(value) }),
    encode: ({ kind, value }) => [
      frame([Uint8Array.of(names.indexOf(kind)), ...(kinds[kind]?.encode(value) ?? [])]),
    ],
  }
}

/** The frame of an enum before casper-types 2, and of arguments: the tag, then the content. */
export const plain = (parts: readonly Uint8Array[]): Uint8Array => concatBytes(...parts)
