import type { StoredKind } from '../odra/field.ts'

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

/** Returns an object with only these members, in this order. */
export function pick<T extends object, Name extends keyof T>(from: T, names: readonly Name[]): Pick<T, Name> {
  const picked: Partial<Pick<T, Name>> = {}
  for (const name of names) picked[name] = from[name]
  return picked as Pick<T, Name>
}
