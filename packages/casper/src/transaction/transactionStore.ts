import { defineError } from '@wattfeed/base'
import type { Settled } from './settlement.ts'
import type { SignedTransaction } from './signTransaction.ts'

/**
 * The purpose of a transaction: `kind`, and the data that its program needs to record the outcome. It is stored as JSON, and
 * handed back.
 */
export interface Purpose {
  readonly kind: string
  readonly [field: string]: unknown
}

/** A signed transaction that may be in flight, and its purpose. */
export interface Pending {
  readonly chain_name: string
  readonly purpose: Purpose
  readonly transaction_hash: string
  /** Epoch milliseconds: no block after this may include it. */
  readonly expires_at: number
  /** Its maximum cost, as decimal text. */
  readonly payment_motes: string
  /** The parameter of `account_put_transaction`. */
  readonly transaction: { readonly Version1: { readonly hash: string } }
}

/** Returns the stored form of a signed transaction. */
export const pendingOf = (
  { hash, expiresAt, transaction }: SignedTransaction,
  { chain_name, payment_motes, purpose }: Pick<Pending, 'chain_name' | 'payment_motes' | 'purpose'>,
): Pending => ({
  chain_name,
  purpose,
  transaction_hash: hash,
  expires_at: expiresAt,
  payment_motes,
  transaction: { Version1: { hash, ...Object(transaction.Version1) } },
})

/** Returns the signed transaction of a stored one. */
export const signedOf = ({ transaction_hash, expires_at, transaction }: Pending): SignedTransaction => ({
  hash: transaction_hash,
  expiresAt: expires_at,
  transaction,
})

/** The account's balance at a block. */
export interface Balance {
  /** Null if the chain does not know the account. */
  readonly motes: bigint | null
  readonly height: number
  /** The block's time in epoch milliseconds. */
  readonly time: number
}

/** The account cannot pay for a transaction on top of those in flight. Nothing was sent. */
export const BalanceError = defineError(
  'BalanceError',
  'balance',
  (facts: {
    accountHash: string
    /** Null if the chain does not know the account. */
    balanceMotes: bigint | null
    /** The payments of this transaction and of all in flight. */
    neededMotes: bigint
    /** How much of that is for others in flight. */
    reservedMotes: bigint
  }) => {
    const has = facts.balanceMotes === null ? 'is unknown on chain' : `has ${facts.balanceMotes} motes`
    const payers =
      facts.reservedMotes === 0n ? 'the transaction needs' : 'the transaction and those in flight need'
    return `${facts.accountHash} ${has}, but ${payers} ${facts.neededMotes} motes; send CSPR to the account`
  },
)

/** A transaction in flight, from its checks until it is settled. */
export interface Claim {
  /** Identifies it among all claims of all processes. */
  readonly id: string
  /** No other transaction in flight may have one of these keys. */
  readonly keys: readonly string[]
}

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>

/**
 * Stores what a sender has promised and not yet seen settled. Each call is one atomic step, and durable once it returns. Each
 * throws if the store cannot be read or written.
 */
export interface TransactionStore {
  /** Claims the keys of a transaction. @throws an error of the store's program if one of them is in use */
  claim(keys: readonly string[]): Awaitable<Claim>
  /**
   * Reserves a payment. It stays reserved until a balance was read at the block that settled the transaction, or a later one.
   *
   * @throws {BalanceError} if the account cannot pay it on top of all other reservations.
   */
  reserve(claim: Claim, paymentMotes: bigint, balance: Balance): Awaitable<void>
  /** Stores the claim's signed transaction. It must not be sent before. Does nothing if it is stored already. */
  write(claim: Claim, pending: Pending): Awaitable<void>
  /**
   * Removes a settled transaction. If this throws, the next call that writes removes it first.
   */
  settle(claim: Claim, pending: Pending, settled: Settled): Awaitable<void>
  /** Ends a claim. A stored transaction that is not settled is left for {@link TransactionStore.adopt}. */
  release(claim: Claim): Awaitable<void>
  /** Claims the stored transactions that neither a claim nor another process follows, oldest first. */
  adopt(): Awaitable<readonly { readonly claim: Claim; readonly pending: Pending }[]>
  /** Lists the stored transactions, oldest first. */
  list(): Awaitable<readonly Pending[]>
}
