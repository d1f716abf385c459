export {
  assertMaySign,
  getAccount,
  getAccountAt,
  getBalance,
  getNamedKeys,
  NotAssociatedError,
} from './account.ts'
export { clockWords } from './clockOff.ts'
export {
  createTransaction,
  defaultTerms,
  type TransactionRequest,
  type TransactionTerms,
} from './createTransaction.ts'
export {
  createDurableSender,
  type DeliverOptions,
  type Delivery,
  type DurableSender,
  type DurableSenderOptions,
  deliverSigned,
  deliverStored,
  type SendRequest,
  type SendStep,
} from './durableSender.ts'
export { type ExecutedTransaction, getTransaction } from './getTransaction.ts'
export { assertLane, MIN_PAYMENT_MOTES, NoLaneError } from './lane.ts'
export { MAX_LIFETIME_MS, readMaxLifetime } from './maxLifetime.ts'
export { loadSdk, type Sdk } from './sdk.ts'
export type { FollowOptions, TransactionEvent } from './sendTransaction.ts'
export {
  assertExecuted,
  isSettled,
  type Settled,
  type Settlement,
  TransactionExpiredError,
  TransactionFailedError,
  TransactionUnresolvedError,
} from './settlement.ts'
export { loadSigner, type Signer } from './signer.ts'
export { draftTransaction, signTransaction } from './signTransaction.ts'
export { readBlockTimes, readTimestamp } from './timestamp.ts'
export { TransactionRefusedError } from './transactionRefused.ts'
export {
  BalanceError,
  createPending,
  type Pending,
  type Purpose,
  signedOf,
  type TransactionStore,
} from './transactionStore.ts'
