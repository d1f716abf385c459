/**
 * Builds, signs, sends and follows transactions. A durable sender stores each one before it is sent, so that it is executed at most once.
 * For Bun and Node.js.
 *
 * Times are epoch milliseconds, payments are motes as `bigint`.
 *
 * @module @wattfeed/casper/transaction
 */
export { InvalidArgumentError, type OptionNames } from '@wattfeed/base'
export { assertLane, MIN_PAYMENT_MOTES, NoLaneError, type TransactionSize } from '../types/lane.ts'
export {
  assertMaySign,
  EntityAccountError,
  getAccount,
  getAccountAt,
  getBalance,
  getNamedKeys,
  NotAssociatedError,
} from './account.ts'
export { clockWords } from './clockOff.ts'
export {
  type CodeTarget,
  createTransaction,
  defaultTerms,
  type TransactionRequest,
  type TransactionTerms,
} from './createTransaction.ts'
export {
  createDurableSender,
  type DeliverOptions,
  type Delivery,
  type DurableSend,
  type DurableSender,
  type DurableSenderOptions,
  deliverSigned,
  deliverStored,
  followOptionNames,
  type SendRequest,
  type SendStep,
  senderOptionNames,
} from './durableSender.ts'
export { type ExecutedTransaction, getTransaction, type TransactionState } from './getTransaction.ts'
export { MAX_LIFETIME_MS, readMaxLifetime } from './maxLifetime.ts'
export { type NetworkTerms, readBlockTimes, readNetworkTerms } from './networkTerms.ts'
export { loadSdk, type Sdk } from './sdk.ts'
export type { FollowOptions, SendOptions, TransactionEvent } from './sendTransaction.ts'
export {
  assertExecuted,
  isSettled,
  type Settled,
  type Settlement,
  TransactionExpiredError,
  TransactionFailedError,
  TransactionUnresolvedError,
} from './settlement.ts'
export { type LoadedSigner, loadSigner, type Signer } from './signer.ts'
export { draftTransaction, type SignedTransaction, signTransaction } from './signTransaction.ts'
export { type RefusalReason, TransactionRefusedError } from './transactionRefused.ts'
export {
  type Awaitable,
  type Balance,
  BalanceError,
  type Claim,
  type Pending,
  type Purpose,
  pendingOf,
  signedOf,
  type TransactionStore,
} from './transactionStore.ts'
