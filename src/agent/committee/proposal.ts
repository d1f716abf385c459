import type { Pending } from '@wattfeed/casper/transaction'
import type { NewAttestation } from 'wattfeed/internal'
import { createAttestPurpose } from '../state/attestPurpose.ts'

/** A transaction that a leader proposes, without signatures. Its terms are those of the protocol. */
export interface Proposal {
  /** 64 hex digits. */
  readonly hash: string
  /** Epoch milliseconds. Its slot determines the leader. */
  readonly timestamp: number
  /** Epoch milliseconds. No block after this time may include it. */
  readonly expiresAt: number
  readonly chainName: string
  /** The account as the transaction names it: its public key in hex or `account-hash-…`. */
  readonly initiator: string
  readonly paymentMotes: bigint
  readonly attestations: readonly NewAttestation[]
  /** The payload in the node's JSON. */
  readonly payload: unknown
}

/** A member's signature, in the node's JSON. Both are hex with the algorithm's byte. */
export interface Approval {
  readonly signer: string
  readonly signature: string
}

/** Verified approvals by the account hash of the key. */
export type Approvals = ReadonlyMap<string, Approval>

export interface SignedProposal {
  readonly proposal: Proposal
  readonly approvals: Approvals
}

/** A signed transaction in the node's JSON. */
export interface TransactionJson {
  readonly Version1: {
    readonly hash: string
    readonly payload: unknown
    readonly approvals: readonly Approval[]
  }
}

/** Returns the transaction that members exchange, and that a node accepts. */
export const formatTransaction = ({ proposal, approvals }: SignedProposal): TransactionJson => ({
  Version1: { hash: proposal.hash, payload: proposal.payload, approvals: [...approvals.values()] },
})

/** Returns what is stored of a proposal with these approvals. */
export const storedProposal = (signed: SignedProposal): Pending => {
  const { hash, expiresAt, chainName, paymentMotes, attestations } = signed.proposal
  return {
    chain_name: chainName,
    purpose: createAttestPurpose(attestations),
    transaction_hash: hash,
    expires_at: expiresAt,
    payment_motes: paymentMotes.toString(),
    transaction: formatTransaction(signed),
  }
}

/** Returns the proposed values of each feed, in order. */
export const valuesByFeed = ({
  attestations,
}: Pick<Proposal, 'attestations'>): ReadonlyMap<string, readonly NewAttestation[]> =>
  Map.groupBy(attestations, ({ feed_id }) => feed_id)
