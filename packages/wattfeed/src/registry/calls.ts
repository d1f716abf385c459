import { concatBytes } from '@noble/hashes/utils.js'
import type { Stored } from '@wattfeed/casper'
import {
  type Arguments,
  type ClValue,
  clListOfAny,
  clString,
  clU8,
  clU64,
  clU512,
} from '@wattfeed/casper/types'
import { newAttestationFields } from './attestation.ts'
import { type Feed, feedFields } from './feed.ts'

/** A value to attest: the AttestationRegistry's `NewAttestation`. */
export interface NewAttestation {
  feed_id: string
  period: number
  /** The value times 10^decimals. */
  amount: bigint
  /** First 32 hex digits of the SHA-256 of the canonical JSON of the value's source; 64 hex digits for a dataset's root. */
  source_hash: string
}

const encoders = { text: clString, hash: clString, u8: clU8, u64: clU64, u512: clU512 }

/** Encodes the fields of a struct, in the order in which they are given. @throws {ArgumentError} */
function encodeFields<Fields extends Readonly<Record<string, keyof typeof encoders>>>(
  fields: Fields,
  values: Stored<Fields>,
): Record<keyof Fields, ClValue> {
  const given: Readonly<Record<string, unknown>> = values
  const encoded: Record<string, ClValue> = {}
  for (const [name, kind] of Object.entries(fields)) {
    const encode = encoders[kind] as (value: unknown) => ClValue
    encoded[name] = encode(given[name])
  }
  return encoded as Record<keyof Fields, ClValue>
}

/** Creates the arguments of `attest`. @throws {ArgumentError} */
export function attestArguments(attestation: NewAttestation): Arguments {
  const { feed_id, ...value } = encodeFields(newAttestationFields, attestation)
  return { asset_id: feed_id, ...value }
}

/** Creates the arguments of `attest_many`. @throws {ArgumentError} */
export function attestManyArguments(attestations: readonly NewAttestation[]): Arguments {
  return { attestations: clListOfAny(attestations.map(encodeNewAttestation)) }
}

function encodeNewAttestation(attestation: NewAttestation): Uint8Array {
  return concatBytes(
    ...Object.values(encodeFields(newAttestationFields, attestation)).map(({ bytes }) => bytes),
  )
}

/** Creates the arguments of `register_feed`, for a new feed or for new metadata of a feed. @throws {ArgumentError} */
export function registerArguments(feedId: string, feed: Feed): Arguments {
  return { feed_id: clString(feedId), ...encodeFields(feedFields, feed) }
}
