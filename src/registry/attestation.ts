import type { Cursor } from '../bytes/cursor.ts'
import { readAddress } from '../casper/types/address.ts'
import { readNumber } from '../odra/field.ts'

/** An attested value, as stored in `AttestationRegistry.latest` and `.history`. */
export interface Attestation {
  /** The period as an integer, for example 20261120 for a day. */
  readonly period: number
  /** The unscaled value: the value times 10^decimals. */
  readonly amount: bigint
  /** First 32 hex digits of the SHA-256 of the canonical JSON of the value's source. */
  readonly source_hash: string
  /** Address of the attester: `account-hash-…` or `hash-…`. */
  readonly attester: string
  /** Block time in epoch milliseconds. */
  readonly timestamp: number
}

/** Maximum size of a `U512` in bytes. */
export const U512_BYTES = 64

export function readAttestation(cursor: Cursor): Attestation {
  return {
    period: readNumber(cursor),
    amount: cursor.bigUint(U512_BYTES),
    source_hash: cursor.string(),
    attester: readAddress(cursor),
    timestamp: readNumber(cursor),
  }
}
