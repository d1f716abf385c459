import type { Attestation } from './attestation.ts'
import type { Feed } from './feed.ts'

/** Metadata and newest value of one feed, scaled. */
export interface Reading extends Feed {
  readonly feed_id: string
  /** The double nearest to `amount` / 10^`decimals`. */
  readonly value: number
  readonly amount: bigint
  readonly period: number
  readonly source_hash: string
  /** The attestation's `timestamp`: block time in epoch milliseconds. */
  readonly updated_at: number
}

/** The parts of an attestation that a reading needs; both the stored record and the event have them. */
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
 * Returns the double nearest to `amount` / 10^`decimals`: parsing decimal text rounds once, dividing doubles twice.
 *
 * @example
 * ```ts
 * scaleAmount(3049380n, 6) // 3.04938
 * ```
 */
export function scaleAmount(amount: bigint, decimals: number): number {
  return Number(`${amount}e-${decimals}`)
}
