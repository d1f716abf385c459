import type { Cursor } from '../bytes/cursor.ts'
import { readAddress } from '../casper/types/address.ts'
import { readNumber } from '../odra/field.ts'

/** Maximum size of a `U512` in bytes. */
export const U512_BYTES = 64

/** How each kind of field is read from the bytes of a contract. */
export const readers = {
  text: (cursor: Cursor) => cursor.string(),
  hash: (cursor: Cursor) => cursor.string(),
  address: readAddress,
  u8: (cursor: Cursor) => cursor.u8(),
  u64: readNumber,
  time: readNumber,
  u512: (cursor: Cursor) => cursor.bigUint(U512_BYTES),
}

/** What a stored field holds. */
export type StoredKind = keyof typeof readers

/** What a field holds. Its JSON schema (`src/api`) and its column's type (`src/tables`) follow from it. */
export type FieldKind = StoredKind | 'double'

/** The fields of a reading, in the order of the specification, which is that of the JSON. */
export const readingFields = {
  feed_id: 'text',
  decimals: 'u8',
  unit: 'text',
  title: 'text',
  source: 'text',
  route: 'text',
  frequency: 'text',
  description: 'text',
  value: 'double',
  amount: 'u512',
  period: 'u64',
  source_hash: 'hash',
  updated_at: 'time',
} as const satisfies Readonly<Record<string, FieldKind>>

export type ReadingField = keyof typeof readingFields

export const readingOrder = Object.keys(readingFields) as readonly ReadingField[]

/** The fields that a feed has in the FeedRegistry, in the order of the contract: of the bytes, and of the arguments. */
export const feedOrder = [
  'decimals',
  'unit',
  'title',
  'source',
  'route',
  'frequency',
  'description',
] as const satisfies readonly ReadingField[]

/** What each field means: in the schema of the JSON, and in the metadata of tables, if they have other words for it. */
// Apart from the kinds, because the client has no use for texts.
export const fieldMeanings: Readonly<Record<ReadingField, { json?: string; column?: string }>> = {
  feed_id: { json: 'Case-sensitive; may contain any character.' },
  decimals: { json: 'Number of digits of `amount` after the decimal point.' },
  unit: { json: 'Unit of `value`, as text.', column: 'Unit of the value.' },
  title: { column: 'Title of the feed, for people.' },
  source: { json: 'Publisher of the statistic.' },
  route: { json: 'EIA route of the values; see /v1/datasets.' },
  frequency: { json: "Frequency of the values, in EIA's terms." },
  description: {},
  value: { json: 'The double nearest to amount / 10^decimals.' },
  amount: {
    json: 'Exact unscaled value, as decimal digits.',
    column: 'Exact unscaled value of up to 512 bits. Read it as text.',
  },
  period: {
    json: 'Period as an integer, such as 20261120 for a day; above 2^53 the nearest double.',
    column: 'Period as an integer, such as 20261120 for a day.',
  },
  source_hash: {
    json: "First 32 hex digits of the SHA-256 of the canonical JSON of the value's source.",
    column:
      "First 32 hex digits of the SHA-256 of the canonical JSON of the value's source; empty if the attester wrote anything else.",
  },
  updated_at: {
    json: 'Block time of the attestation, in epoch milliseconds.',
    column: 'Block time of the attestation.',
  },
}

/** The values of a contract's struct. */
export type Stored<Fields extends Readonly<Record<string, StoredKind>>> = {
  readonly [Name in keyof Fields]: ReturnType<(typeof readers)[Fields[Name]]>
}

/** Reads the fields of a contract's struct, in the order in which they are given. */
export function readFields<Fields extends Readonly<Record<string, StoredKind>>>(
  cursor: Cursor,
  fields: Fields,
): Stored<Fields> {
  const values: Record<string, string | number | bigint> = {}
  for (const [name, kind] of Object.entries(fields)) values[name] = readers[kind](cursor)
  return values as Stored<Fields>
}

/** Returns an object with only these members, in this order. */
export function pick<T extends object, Name extends keyof T>(from: T, names: readonly Name[]): Pick<T, Name> {
  const picked: Partial<Pick<T, Name>> = {}
  for (const name of names) picked[name] = from[name]
  return picked as Pick<T, Name>
}
