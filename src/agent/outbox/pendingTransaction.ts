import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { SignedTransaction } from '../../casper/transaction/signTransaction.ts'
import type { NewAttestation } from '../../registry/calls.ts'
import { parseJson } from '../../runtime/parseJson.ts'

const hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const decimal = Type.String({ pattern: '^[0-9]+$' })

/** A signed transaction that may be on its way, as its file holds it. */
const PendingTransaction = Type.Object({
  /** Of this file. */
  format: Type.Literal(1),
  chain_name: Type.String(),
  attestation_registry_package_hash: hash,
  transaction_hash: hash,
  /** Epoch milliseconds: no block after this may hold it. */
  expires_at: Type.Integer(),
  payment_motes: decimal,
  attestations: Type.Array(
    Type.Object({
      feed_id: Type.String(),
      period: Type.Integer(),
      /** The value times 10^decimals. */
      amount: decimal,
      source_hash: Type.String(),
    }),
    { minItems: 1 },
  ),
  /** What `account_put_transaction` takes. */
  transaction: Type.Object({ Version1: Type.Object({ hash }) }),
})
export type PendingTransaction = Static<typeof PendingTransaction>

/** Where transactions go. */
export interface Destination {
  readonly chainName: string
  /** 64 hex digits. */
  readonly attestationRegistryPackageHash: string
}

/** What is written down of a signed transaction. */
export function createPendingTransaction(
  signed: SignedTransaction,
  to: Destination & { paymentMotes: bigint; attestations: readonly NewAttestation[] },
): PendingTransaction {
  return {
    format: 1,
    chain_name: to.chainName,
    attestation_registry_package_hash: to.attestationRegistryPackageHash,
    transaction_hash: signed.hash,
    expires_at: signed.expiresAt,
    payment_motes: to.paymentMotes.toString(),
    attestations: to.attestations.map(({ feedId, period, amount, sourceHash }) => ({
      feed_id: feedId,
      period,
      amount: amount.toString(),
      source_hash: sourceHash,
    })),
    transaction: { Version1: { ...Object(signed.transaction.Version1) } },
  }
}

/** What a file's text holds, or null where it is no pending transaction of this format. */
export function parsePendingTransaction(text: string): PendingTransaction | null {
  const value = parseJson(text)
  if (!Value.Check(PendingTransaction, value)) return null
  return value.transaction.Version1.hash === value.transaction_hash ? value : null
}

/** The bytes to send. */
export const signedOf = ({
  transaction_hash,
  expires_at,
  transaction,
}: PendingTransaction): SignedTransaction => ({
  hash: transaction_hash,
  expiresAt: expires_at,
  transaction,
})

/** Ids of the feeds that it attests to, each once. */
export const pendingFeedIds = ({ attestations }: PendingTransaction): string[] => [
  ...new Set(attestations.map(({ feed_id }) => feed_id)),
]
