import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import {
  createPendingFolder,
  type Pending,
  type PendingStore,
} from '../../casper/transaction/pendingStore.ts'
import type { NewAttestation } from '../../registry/calls.ts'

/** What a pending transaction of the agent is for. */
const AttestPurpose = Type.Object({
  /** Of this file. */
  format: Type.Literal(1),
  chain_name: Type.String(),
  attestation_registry_package_hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
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

/** A signed transaction that may be on its way, and what it attests. */
export type PendingAttestations = Pending<AttestPurpose>

/** Where transactions go. */
export interface Destination {
  readonly chainName: string
  /** 64 hex digits. */
  readonly attestationRegistryPackageHash: string
}

/** Keeps pending transactions in a folder of `AGENT_STATE_DIR`. */
export function createAttestationStore(
  stateDir: string,
  { chainName, attestationRegistryPackageHash: packageHash }: Destination,
): PendingStore<AttestPurpose> {
  return createPendingFolder<AttestPurpose>(join(stateDir, 'pending'), {
    purpose: AttestPurpose,
    foreignDestination: ({ chain_name: chain, attestation_registry_package_hash: hash }) =>
      chain === chainName && hash === packageHash ? null : `chain ${chain}, AttestationRegistry hash-${hash}`,
    wayOut: 'choose another AGENT_STATE_DIR',
  })
}

/** What is written down of a transaction beside its bytes. */
export const createAttestPurpose = (
  to: Destination,
  attestations: readonly NewAttestation[],
): AttestPurpose => ({
  format: 1,
  chain_name: to.chainName,
  attestation_registry_package_hash: to.attestationRegistryPackageHash,
  attestations: attestations.map(({ feedId, period, amount, sourceHash }) => ({
    feed_id: feedId,
    period,
    amount: amount.toString(),
    source_hash: sourceHash,
  })),
})

/** What a pending transaction attests. */
export const attestationsOf = ({ attestations }: AttestPurpose): NewAttestation[] =>
  attestations.map(({ feed_id, period, amount, source_hash }) => ({
    feedId: feed_id,
    period,
    amount: BigInt(amount),
    sourceHash: source_hash,
  }))

/** Ids of the feeds that it attests to, each once. */
export const pendingFeedIds = ({ attestations }: AttestPurpose): string[] => [
  ...new Set(attestations.map(({ feed_id }) => feed_id)),
]
