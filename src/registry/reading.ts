import type { Attestation } from './attestation.ts'
import type { Feed } from './feed.ts'
import { pick, readingOrder } from './readingFields.ts'

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
  /** First 32 hex digits of the SHA-256 over the canonical JSON of the value's source. */
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
