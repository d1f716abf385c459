import { concatBytes } from '@noble/hashes/utils.js'
import { type Arguments, clListOfAny, clString, clU8, clU64, clU512 } from '../casper/types/arguments.ts'
import type { Feed } from './feed.ts'

/** A value to attest: the AttestationRegistry's `NewAttestation`. */
export interface NewAttestation {
  feed_id: string
  period: number
  /** The value times 10^decimals. */
  amount: bigint
  /** First 32 hex digits of the SHA-256 of the canonical JSON of the value's source. */
  source_hash: string
}

/** Creates the arguments of `attest`. @throws {ArgumentError} */
export function attestArguments({ feed_id, period, amount, source_hash }: NewAttestation): Arguments {
  return {
    asset_id: clString(feed_id),
    period: clU64(period),
    amount: clU512(amount),
    source_hash: clString(source_hash),
  }
}

/** Creates the arguments of `attest_many`. @throws {ArgumentError} */
export function attestManyArguments(attestations: readonly NewAttestation[]): Arguments {
  return { attestations: clListOfAny(attestations.map(encodeNewAttestation)) }
}

/** Encodes the fields in the order of their declaration in the contract. */
function encodeNewAttestation({ feed_id, period, amount, source_hash }: NewAttestation): Uint8Array {
  const fields = [clString(feed_id), clU64(period), clU512(amount), clString(source_hash)]
  return concatBytes(...fields.map(({ bytes }) => bytes))
}

/** Creates the arguments of `register_feed`, for a new feed or for new metadata of a feed. @throws {ArgumentError} */
export function registerArguments(feedId: string, feed: Feed): Arguments {
  return {
    feed_id: clString(feedId),
    decimals: clU8(feed.decimals),
    unit: clString(feed.unit),
    title: clString(feed.title),
    source: clString(feed.source),
    route: clString(feed.route),
    frequency: clString(feed.frequency),
    description: clString(feed.description),
  }
}
