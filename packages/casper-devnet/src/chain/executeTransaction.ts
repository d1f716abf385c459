import { decodeHex } from '@wattfeed/base'
import { type Account, stateKey, urefKey } from '@wattfeed/casper/types'
import type { Chainspec } from '../chainspec.ts'
import type { BlockInfo } from '../engine/blockInfo.ts'
import type { Engine, ExecutionResult } from '../engine/execute.ts'
import type { ExecutionTarget } from '../engine/executionTarget.ts'
import { authorizationErrors, checkSigners } from '../engine/keyWeights.ts'
import type { Message } from '../engine/message.ts'
import { balanceKey, encodeMotes, processingHoldKey, readBalance, readMotes } from '../engine/purse.ts'
import type { Effect } from '../engine/transform.ts'
import { limitOf, type ReceivedTarget, signersOf, type Transaction } from '../transaction/transaction.ts'
import type { TransactionRules } from '../transaction/transactionRules.ts'
import { existingAccount } from './account.ts'
import type { PaidTransfer } from './formatTransfer.ts'
import type { Overlay } from './overlay.ts'
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
  /** Motes that went from purse to purse, in order. */
  transfers: readonly PaidTransfer[]
  /** Global state has only their checksums. */
  messages: readonly Message[]
  /** What contracts printed, also if they failed. */
  prints: readonly string[]
}

export interface ExecutionBlock extends BlockInfo, Pick<TransactionRules, 'refundRatio' | 'transferMotes'> {
  chainspec: Chainspec
  fees: FeeTarget
}

/** The proposer's main purse, which receives the fees, or the total supply from which they are burned. Both are URefs. */
export type FeeTarget = { proposerPurse: Uint8Array } | { totalSupply: Uint8Array }

/**
 * Executes a transaction, charges the sender and writes to `state`. The limit is on hold while the code runs. Afterwards
 * the part that is not refunded is the fee. A failed transaction pays the whole limit and has no other effect.
 */
export function executeTransaction(
  engine: Engine,
  transaction: Transaction,
  block: ExecutionBlock,
  state: Overlay,
): ExecutedTransaction {
  const isTransfer = transaction.target.kind === 'transfer'
  const limitMotes = (isTransfer ? block.transferMotes : null) ?? limitOf(transaction)
  const account = existingAccount(state, transaction.initiator.accountHash)
  const purse = account.mainPurse
  if (readBalance(state, purse) < limitMotes) return withoutFunds(limitMotes)
  const holdKey = processingHoldKey(purse, block.timeMs)
  const prints: string[] = []
  const result = isTransfer
    ? { ...transferAs(account, transaction, { purse, limitMotes, holdKey }, state), messages: [] }
    : runCode(engine, transaction, { block, purse, limitMotes, holdKey, prints }, state)
  // A failed transaction has no writes.
  for (const [key, value] of result.writes) state.write(key, value)
  const isSolvent = readBalance(state, purse) >= limitMotes
  const refundMotes = result.error === null && isSolvent ? refundOf(limitMotes - result.consumed, block) : 0n
  const paid = isSolvent
    ? { error: null, effects: pay(state, purse, block.fees, limitMotes - refundMotes) }
    : { error: unpaidError(block.fees), effects: [] }
  return {
    error: result.error ?? paid.error,
    limitMotes,
    consumedMotes: result.consumed,
    costMotes: limitMotes,
    refundMotes,
    transfers: result.transfers,
    messages: result.messages,
    prints,
    effects: [...onHold(holdKey, limitMotes, result.effects), ...paid.effects],
  }
}

/** Returns a node's error if the code has burned the motes for the fee. A node then keeps what the code did, without a fee. */
const unpaidError = (fees: FeeTarget): string =>
  'totalSupply' in fees ? 'HandlePayment error: Arithmetic overflow' : 'Mint error: Insufficient funds'

const refundOf = (unusedMotes: bigint, { refundRatio: [numerator, denominator] }: ExecutionBlock): bigint =>
  (unusedMotes * numerator) / denominator

/** The node says what it would have cost, but takes nothing. */
function withoutFunds(limitMotes: bigint): ExecutedTransaction {
  const error = 'penalized: false, sufficient balance: false, allowed by chainspec: true'
  const nothing = { consumedMotes: 0n, refundMotes: 0n, transfers: [], effects: [], messages: [], prints: [] }
  return { error, limitMotes, costMotes: limitMotes, ...nothing }
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
  { block, limitMotes, holdKey, prints }: TransferPayment & { block: ExecutionBlock; prints: string[] },
  state: Overlay,
): Pick<TransferResult, 'error' | 'consumed' | 'effects' | 'transfers'> &
  Pick<ExecutionResult, 'writes' | 'messages'> {
  const held = stateKey(holdKey)
  const hold = encodeMotes(limitMotes)
  const result = engine({
    chainspec: block.chainspec,
    transactionHash: decodeHex(transaction.hash, 'transaction hash'),
    initiator: transaction.initiator.accountHash,
    signers: signersOf(transaction),
    block,
    gasLimit: limitMotes,
    target: runnable(transaction.target),
    args: transaction.args ?? [],
    // The code sees the hold, which the overlay never has.
    read: (key) => (key === held ? hold : state.read(key)),
    listKeys: state.listKeys,
    print: (text) => void prints.push(text),
  })
  // A node fails code that does nothing.
  if (result.error === null && result.consumed === 0n)
    return {
      ...result,
      error: 'Wasm consumed 0 gas',
      effects: [],
      writes: new Map(),
      transfers: [],
      messages: [],
    }
  const gasMotes = BigInt(block.chainspec.system_costs.mint_costs.transfer)
  return { ...result, transfers: result.transfers.map((each) => ({ ...each, gasMotes })) }
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

/** Returns the effects of a transaction's code: those between the start and the end of the hold. */
export function codeEffects({ effects }: Pick<ExecutedTransaction, 'effects'>): readonly Effect[] {
  const holdKey = effects[0]?.key ?? new Uint8Array()
  const isHold = ({ key }: Effect): boolean => Buffer.compare(key, holdKey) === 0
  const end = effects.findIndex((effect) => effect.transform.kind === 'Prune' && isHold(effect))
  return effects.slice(1, end).filter((effect) => !isHold(effect))
}

function pay(state: Overlay, from: Uint8Array, fees: FeeTarget, motes: bigint): Effect[] {
  const fromKey = balanceKey(from)
  const left = encodeMotes(readBalance(state, from) - motes)
  state.write(stateKey(fromKey), left)
  const taken: Effect = { key: fromKey, transform: { kind: 'Write', stored: left } }
  return [taken, ...('totalSupply' in fees ? burn(state, fees, motes) : reward(state, fees, motes))]
}

/** The purse may be the sender's. */
function reward(state: Overlay, { proposerPurse }: { proposerPurse: Uint8Array }, motes: bigint): Effect[] {
  const key = balanceKey(proposerPurse)
  state.write(stateKey(key), encodeMotes(readBalance(state, proposerPurse) + motes))
  return [{ key, transform: { kind: 'AddUInt512', amount: motes } }]
}

/** A node reads the total supply and writes it again, where it adds to a proposer's balance. */
function burn(state: Overlay, { totalSupply }: { totalSupply: Uint8Array }, motes: bigint): Effect[] {
  const key = urefKey(totalSupply)
  const stored = encodeMotes(readMotes(state, key) - motes)
  state.write(stateKey(key), stored)
  return [
    { key, transform: { kind: 'Identity' } },
    { key, transform: { kind: 'Write', stored } },
  ]
}
