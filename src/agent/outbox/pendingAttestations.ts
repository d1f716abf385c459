import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import {
  createPendingFolder,
  type Pending,
  type PendingStore,
} from '../../casper/transaction/pendingStore.ts'
import type { NewAttestation } from '../../registry/calls.ts'

/** The purpose of a pending transaction of the agent. */
const AttestPurpose = Type.Object({
  /** Version of this file format. */
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

/** A signed transaction that may be in flight, and what it attests. */
export type PendingAttestations = Pending<AttestPurpose>

/** The chain and contract that transactions go to. */
export interface Destination {
  readonly chainName: string
  /** 64 hex digits. */
  readonly attestationRegistryPackageHash: string
}

/** Creates a store of pending transactions in a folder of `AGENT_STATE_DIR`. */
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

/** Returns what is stored of a transaction besides its bytes. */
export const createAttestPurpose = (
  to: Destination,
  attestations: readonly NewAttestation[],
): AttestPurpose => ({
  format: 1,
  chain_name: to.chainName,
  attestation_registry_package_hash: to.attestationRegistryPackageHash,
  attestations: attestations.map(({ feed_id, period, amount, source_hash }) => ({
    feed_id,
    period,
    amount: amount.toString(),
    source_hash,
  })),
})

/** Returns what a pending transaction attests. */
export const attestationsOf = ({ attestations }: AttestPurpose): NewAttestation[] =>
  attestations.map((each) => ({ ...each, amount: BigInt(each.amount) }))

/** Returns the ids of the feeds that it attests to, without duplicates. */
export const pendingFeedIds = ({ attestations }: AttestPurpose): string[] => [
  ...new Set(attestations.map(({ feed_id }) => feed_id)),
]
