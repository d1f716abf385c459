import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import {
  createPendingStore,
  type Pending,
  type PendingStore,
  pendingFolder,
} from '../../casper/transaction/pendingStore.ts'
import type { NewAttestation } from '../../registry/calls.ts'

/** The purpose of a pending transaction of the agent. */
const AttestPurpose = Type.Object({
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

/** The chain and contract that transactions go to. */
export interface Destination {
  readonly chainName: string
  /** 64 hex digits. */
  readonly attestationRegistryPackageHash: string
}

/** Creates a store of pending transactions in a folder of `AGENT_STATE_DIR`. */
export const createAttestationStore = (
  stateDir: string,
  { chainName, attestationRegistryPackageHash: packageHash }: Destination,
): PendingStore<AttestPurpose> =>
  createPendingStore(pendingFolder(stateDir, chainName, packageHash), AttestPurpose)

/** Returns the folder of what a member of a committee stores in `AGENT_STATE_DIR`. */
export const memberFolder = (
  stateDir: string,
  { chainName, attestationRegistryPackageHash: packageHash }: Destination,
): string => join(stateDir, 'committee', chainName, packageHash)

/** Creates a store of the transactions that a member of a committee has approved. */
export const createApprovalStore = (
  stateDir: string,
  destination: Destination,
): PendingStore<AttestPurpose> =>
  createPendingStore(join(memberFolder(stateDir, destination), 'approvals'), AttestPurpose)

/** Returns the purpose of a transaction with these attestations. */
export const createAttestPurpose = (attestations: readonly NewAttestation[]): AttestPurpose => ({
  kind: 'attest',
  attestations: attestations.map(({ feed_id, period, amount, source_hash }) => ({
    feed_id,
    period,
    amount: amount.toString(),
    source_hash,
  })),
})

/** Returns the ids of the attested feeds, without duplicates. */
export const pendingFeedIds = ({ purpose }: PendingAttestations): string[] => [
  ...new Set(purpose.attestations.map(({ feed_id }) => feed_id)),
]
