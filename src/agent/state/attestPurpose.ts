import { type Static, Type } from '@sinclair/typebox'
import type { Pending } from '@wattfeed/casper/transaction'
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

/** A signed transaction that may be in flight, with its attestations. */
export type PendingAttestations = Pending<AttestPurpose>

export const createAttestPurpose = (attestations: readonly NewAttestation[]): AttestPurpose => ({
  kind: 'attest',
  attestations: attestations.map(({ feed_id, period, amount, source_hash }) => ({
    feed_id,
    period,
    amount: amount.toString(),
    source_hash,
  })),
})

/** Returns the ids of a purpose's feeds, without duplicates. */
export const attestedFeedIds = ({ attestations }: AttestPurpose): string[] => [
  ...new Set(attestations.map(({ feed_id }) => feed_id)),
]

/** The same for a transaction. */
export const pendingFeedIds = ({ purpose }: PendingAttestations): string[] => attestedFeedIds(purpose)
