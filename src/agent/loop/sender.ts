import type { NewAttestation } from '../../registry/calls.ts'
import type { BatchOptions } from '../outbox/batchAttestations.ts'

/** What sent attestations came to. */
export interface Sent {
  /** 64 hex digits, or null where nothing was sent. */
  readonly transactionHash: string | null
  /** What was not sent because the chain held it, or a newer value, just before; by feed id. */
  readonly superseded: ReadonlyMap<string, 'unchanged' | 'older-than-chain'>
}

/** What a cycle has to know before it begins. */
export interface Prepared extends BatchOptions {
  /** What is on its way already: transaction hashes by feed id. */
  readonly underWay: ReadonlyMap<string, string>
}

/** Brings attestations to the chain. */
export interface Sender {
  /** Gets ready for a cycle: settles what an earlier run or cycle left pending. */
  prepare(): Promise<Prepared>
  /** Sends one transaction, and waits until its attestations are on chain. */
  send(attestations: readonly NewAttestation[]): Promise<Sent>
  /** Waits until nothing is followed any more. Returns what is on its way still, as {@link Prepared.underWay}. */
  drain(): Promise<ReadonlyMap<string, string>>
}
