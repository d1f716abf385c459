import type { Cursor } from '@wattfeed/base'
import { readStruct } from '@wattfeed/casper'

/** An attested value, as stored in `AttestationRegistry.latest` and `.history`. */
export interface Attestation {
  /** The period as an integer, for example 20261120 for a day. */
  readonly period: number
  /** The unscaled value: the value times 10^decimals. */
  readonly amount: bigint
  /** First 32 hex digits of the SHA-256 of the canonical JSON of the value's source; 64 hex digits for a dataset's root. */
  readonly source_hash: string
  /** Address of the attester: `account-hash-…` or `hash-…`. */
  readonly attester: string
  /** Block time in epoch milliseconds. */
  readonly timestamp: number
}

/** What a value has in the record, in an event and in a call: the same in all of them, and in this order. */
export const attestedFields = { period: 'u64', amount: 'u512', source_hash: 'hash' } as const

/** The fields of a value in a call. */
export const newAttestationFields = { feed_id: 'text', ...attestedFields } as const

const recordFields = { ...attestedFields, attester: 'address', timestamp: 'time' } as const

export const readAttestation = (cursor: Cursor): Attestation => readStruct(cursor, recordFields)
