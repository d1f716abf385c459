import type { StoredKind } from '@wattfeed/casper'
import type { Attestation } from './attestation.ts'
import { type Feed, feedFields } from './feed.ts'

/** Metadata of a feed and its newest value, scaled. */
export interface Reading extends Feed {
  /** Id of the feed. */
  readonly feed_id: string
  /** The double nearest to `amount` / 10^`decimals`. */
  readonly value: number
  /** The unscaled value: the number times 10^`decimals`. */
  readonly amount: bigint
  /** The period as an integer, such as 20261120 for a day. */
  readonly period: number
  /** First 32 hex digits of the SHA-256 over the canonical JSON of the value's source; 64 hex digits for a dataset's root. */
  readonly source_hash: string
  /** Block time of the attestation, in epoch milliseconds. */
  readonly updated_at: number
}

/** A {@link Reading} as plain JSON. */
export interface ReadingJson extends Omit<Reading, 'amount'> {
  /** Exact, in decimal text, because JSON numbers are doubles. */
  readonly amount: string
}

/**
 * Converts a reading to plain JSON, with `amount` as decimal text: the body of `GET /v1/feeds/:id`. `BigInt(amount)`
 * converts it back.
 *
 * @example
 * ```ts
 * import { readingToJson } from 'wattfeed'
 *
 * const reading = await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * if (reading) JSON.stringify(readingToJson(reading)) // '{"feed_id":"EIA.PET.PRICE.WTI.DAILY",…,"amount":"70040000",…}'
 * ```
 */
export const readingToJson = (reading: Reading): ReadingJson => ({
  ...pick(reading, readingOrder),
  amount: String(reading.amount),
})

/** The fields of an attestation that a reading needs. The stored record and the event both contain them. */
export type AttestedValue = Omit<Attestation, 'attester'>

export const isSameAttestedValue = (one: AttestedValue, other: AttestedValue): boolean =>
  one.period === other.period &&
  one.amount === other.amount &&
  one.source_hash === other.source_hash &&
  one.timestamp === other.timestamp

/** Combines a feed and its newest value. The result is frozen, because readers share it. */
export function createReading(feedId: string, feed: Feed, value: AttestedValue): Reading {
  return Object.freeze({
    feed_id: feedId,
    ...feed,
    value: scaleAmount(value.amount, feed.decimals),
    amount: value.amount,
    period: value.period,
    source_hash: value.source_hash,
    updated_at: value.timestamp,
  })
}

/**
 * Returns the double nearest to `amount` / 10^`decimals`. Parses decimal text, because that rounds only once; a division of
 * doubles would round twice.
 */
export function scaleAmount(amount: bigint, decimals: number): number {
  return Number(`${amount}e-${decimals}`)
}

/** What a field holds. Its JSON schema (`src/api`) and its column's type (`src/tables`) follow from it. */
export type FieldKind = StoredKind | 'double'

/** The fields of a reading, in the order of the specification, which is that of the JSON. */
export const readingFields = {
  feed_id: 'text',
  ...feedFields,
  value: 'double',
  amount: 'u512',
  period: 'u64',
  source_hash: 'hash',
  updated_at: 'time',
} as const satisfies Readonly<Record<keyof Reading, FieldKind>>

export type ReadingField = keyof typeof readingFields

/** The names of {@link readingFields}. */
export const readingOrder = Object.keys(readingFields) as readonly ReadingField[]

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
    json: "First 32 hex digits of the SHA-256 of the canonical JSON of the value's source; or the 64 of a dataset's root.",
    column:
      "First 32 hex digits of the SHA-256 of the canonical JSON of the value's source, or the 64 of a dataset's root; empty if the attester wrote anything else.",
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
