import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Pending, Purpose } from '@wattfeed/casper/transaction'
import type { NewAttestation } from 'wattfeed/internal'

/** The purpose of a pending transaction of the agent. */
export const AttestPurpose = Type.Object({
  kind: Type.Literal('attest'),
  attestations: Type.Array(
    Type.Object({
      feed_id: Type.String(),
      period: Type.Integer(),
      /** The value times 10^decimals. */
      amount: Type.String({ pattern: '^[0-9]+$' }),
      source_hash: Type.String(),
    }),
    { minItems: 1 },
  ),
})
export type AttestPurpose = Static<typeof AttestPurpose>

export const createAttestPurpose = (attestations: readonly NewAttestation[]): AttestPurpose => ({
  kind: 'attest',
  attestations: attestations.map(({ feed_id, period, amount, source_hash }) => ({
    feed_id,
    period,
    amount: amount.toString(),
    source_hash,
  })),
})

/** Returns the attestations of a stored purpose. The store has checked its form. */
export const attestationsOf = (purpose: Purpose): AttestPurpose['attestations'] =>
  Value.Decode(AttestPurpose, purpose).attestations

/** Returns the ids of a purpose's feeds, without duplicates. */
export const attestedFeedIds = (purpose: Purpose): string[] => [
  ...new Set(attestationsOf(purpose).map(({ feed_id }) => feed_id)),
]

/** The same for a transaction. */
export const pendingFeedIds = ({ purpose }: Pending): string[] => attestedFeedIds(purpose)
