import { decodeHex } from '@wattfeed/base'
import { type Account, stateKey } from '@wattfeed/casper/types'
import type { Engine, ExecutionResult } from '../engine/execute.ts'
import type { ExecutionTarget } from '../engine/executionTarget.ts'
import { authorizationErrors, checkSigners } from '../engine/keyWeights.ts'
import type { Effect } from '../engine/transform.ts'
import { limitOf, type ReceivedTarget, signersOf, type Transaction } from '../transaction/transaction.ts'
import { existingAccount } from './account.ts'
import type { Overlay } from './overlay.ts'
import { balanceKey, encodeMotes, processingHoldKey, readBalance } from './purse.ts'
import { failedTransfer, type TransferPayment, type TransferResult, transferMotes } from './transferMotes.ts'

export interface ExecutedTransaction {
  /** The node's error message, or null. */
  error: string | null
  limitMotes: bigint
  consumedMotes: bigint
  /** Cost before the refund. */
  costMotes: bigint
  refundMotes: bigint
  /** In order. The effects of the payment surround those of the code. */
  effects: readonly Effect[]
  /** Native transfers in the node's JSON. */
  transfers: readonly object[]
}

export interface ExecutionBlock {
  timeMs: number
  /** The proposer's main purse, which receives the fees. */
  proposerPurse: Uint8Array
  /** Refunded share of the unused payment: numerator and denominator. */
  refundRatio: readonly [bigint, bigint]
}

/**
 * Executes a transaction, charges the sender and writes to `state`. The limit is on hold while the code runs. Afterwards
 * the proposer receives the part that is not refunded. A failed transaction pays the whole limit and has no other effect.
 */
export function executeTransaction(
  engine: Engine,
  transaction: Transaction,
  block: ExecutionBlock,
  state: Overlay,
): ExecutedTransaction {
  const limitMotes = limitOf(transaction)
  const account = existingAccount(state, transaction.initiator.accountHash)
  const purse = account.mainPurse
  if (readBalance(state, purse) < limitMotes) return withoutFunds(limitMotes)
  const holdKey = processingHoldKey(purse, block.timeMs)
  const result =
    transaction.target.kind === 'transfer'
      ? transferAs(account, transaction, { purse, limitMotes, holdKey }, state)
      : { ...runCode(engine, transaction, block, limitMotes, state), transfers: [] }
  // A failed transaction has no writes.
  for (const [key, value] of result.writes) state.write(key, value)
  const refundMotes = result.error === null ? refundOf(limitMotes - result.consumed, block) : 0n
  return {
    error: result.error,
    limitMotes,
    consumedMotes: result.consumed,
    costMotes: limitMotes,
    refundMotes,
    transfers: result.transfers,
    effects: [
      ...onHold(holdKey, limitMotes, result.effects),
      ...pay(state, purse, block.proposerPurse, limitMotes - refundMotes),
    ],
  }
}

const refundOf = (unusedMotes: bigint, { refundRatio: [numerator, denominator] }: ExecutionBlock): bigint =>
  (unusedMotes * numerator) / denominator

function withoutFunds(limitMotes: bigint): ExecutedTransaction {
  const error = 'penalty payment: false, sufficient balance: false, allowed by chainspec: true'
  const nothing = { consumedMotes: 0n, costMotes: 0n, refundMotes: 0n, transfers: [], effects: [] }
  return { error, limitMotes, ...nothing }
}

/** Transfers unless the account's keys have changed so that the signatures no longer suffice. */
function transferAs(
  account: Account,
  transaction: Transaction,
  payment: TransferPayment,
  state: Overlay,
): TransferResult {
  const refusal = checkSigners(account, signersOf(transaction))
  if (refusal === null) return transferMotes(transaction, payment, state)
  return failedTransfer(authorizationErrors[refusal], payment.limitMotes)
}

function runCode(
  engine: Engine,
  transaction: Transaction,
  { timeMs }: ExecutionBlock,
  gasLimit: bigint,
  state: Overlay,
): ExecutionResult {
  return engine({
    transactionHash: decodeHex(transaction.hash, 'transaction hash'),
    initiator: transaction.initiator.accountHash,
    signers: signersOf(transaction),
    blockTimeMs: timeMs,
    gasLimit,
    target: runnable(transaction.target),
    args: transaction.args ?? [],
    read: state.read,
    listKeys: state.listKeys,
  })
}

function runnable(target: ReceivedTarget): ExecutionTarget {
  if (target.kind === 'transfer' || target.kind === 'auction')
    throw new Error(`the engine cannot execute a transaction of kind ${target.kind}`)
  return target
}

/** Surrounds effects with those of a hold. It ends with the transaction, so it is never written to global state. */
function onHold(key: Uint8Array, motes: bigint, effects: readonly Effect[]): Effect[] {
  return [
    { key, transform: { kind: 'Write', stored: encodeMotes(motes) } },
    ...effects,
    { key, transform: { kind: 'Prune', key } },
  ]
}

/** Moves motes to the proposer's purse, which may be the same one. */
function pay(state: Overlay, from: Uint8Array, to: Uint8Array, motes: bigint): Effect[] {
  const [fromKey, toKey] = [balanceKey(from), balanceKey(to)]
  const left = encodeMotes(readBalance(state, from) - motes)
  state.write(stateKey(fromKey), left)
  state.write(stateKey(toKey), encodeMotes(readBalance(state, to) + motes))
  return [
    { key: fromKey, transform: { kind: 'Write', stored: left } },
    { key: toKey, transform: { kind: 'AddUInt512', amount: motes } },
  ]
}
