import { decodeHex } from '../../bytes/hex.ts'
import { accountKey, stateKey } from '../../casper/types/key.ts'
import { decodeStoredValue } from '../../casper/types/storedValue.ts'
import type { Engine, ExecutionTarget } from '../engine/execute.ts'
import type { Effect } from '../engine/transform.ts'
import type { Target, Transaction } from '../transaction/transaction.ts'
import type { Overlay } from './overlay.ts'
import { balanceKey, decodeMotes, encodeMotes, processingHoldKey } from './purse.ts'

/** What a transaction did and cost. */
export interface ExecutedTransaction {
  /** Why it failed, in the node's words, or null. */
  error: string | null
  /** What it may cost. */
  limitMotes: bigint
  /** The gas that it used. */
  consumedMotes: bigint
  /** What it paid at first. */
  costMotes: bigint
  /** What of that came back. */
  refundMotes: bigint
  /** In the order in which they were made, the payment's around those of the code. */
  effects: readonly Effect[]
}

/** The block that a transaction is in, as far as it matters for executing it. */
export interface ExecutionBlock {
  timeMs: number
  /** The main purse of the validator that proposes it: fees go there. */
  proposerPurse: Uint8Array
  /** The share of what was paid and not used that comes back: numerator and denominator. */
  refundRatio: readonly [bigint, bigint]
}

/**
 * Executes a transaction on top of `state` and lets the sender pay: the limit is held while the code runs, then what
 * is not refunded goes to the proposer. A failed one loses all of it; nothing else of it stays.
 */
export function executeTransaction(
  engine: Engine,
  transaction: Transaction,
  block: ExecutionBlock,
  state: Overlay,
): ExecutedTransaction {
  const limitMotes = transaction.pricing.kind === 'paymentLimited' ? transaction.pricing.paymentMotes : 0n
  const purse = mainPurseOf(state, transaction.initiator.accountHash)
  const balance = readBalance(state, purse)
  if (balance < limitMotes) return withoutFunds(limitMotes)
  const result = runCode(engine, transaction, block, limitMotes, state)
  // None where it failed.
  for (const [key, value] of result.writes) state.write(key, value)
  const refundMotes = result.error === null ? refundOf(limitMotes - result.consumed, block) : 0n
  return {
    error: result.error,
    limitMotes,
    consumedMotes: result.consumed,
    costMotes: limitMotes,
    refundMotes,
    effects: [
      ...holdEffects(purse, block.timeMs, limitMotes, result.effects),
      ...pay(state, purse, block.proposerPurse, limitMotes - refundMotes),
    ],
  }
}

const refundOf = (unusedMotes: bigint, { refundRatio: [numerator, denominator] }: ExecutionBlock): bigint =>
  (unusedMotes * numerator) / denominator

/** What a node says of a transaction that is worth more than its sender has by the time of its block. */
function withoutFunds(limitMotes: bigint): ExecutedTransaction {
  return {
    error: 'penalty payment: false, sufficient balance: false, allowed by chainspec: true',
    limitMotes,
    consumedMotes: 0n,
    costMotes: 0n,
    refundMotes: 0n,
    effects: [],
  }
}

function runCode(
  engine: Engine,
  transaction: Transaction,
  { timeMs }: ExecutionBlock,
  gasLimit: bigint,
  state: Overlay,
) {
  return engine.execute({
    transactionHash: decodeHex(transaction.hash, 'transaction hash'),
    initiator: transaction.initiator.accountHash,
    blockTimeMs: timeMs,
    gasLimit,
    target: engineTarget(transaction.target),
    args: transaction.args ?? [],
    read: state.read,
    listKeys: state.listKeys,
  })
}

function engineTarget(target: Target): ExecutionTarget {
  switch (target.kind) {
    case 'session':
      return target
    case 'contract':
      return {
        kind: 'call',
        contract: { contractHash: target.contractHash },
        entryPoint: target.entryPoint,
      }
    case 'package':
      return {
        kind: 'call',
        contract: { packageHash: target.packageHash, version: target.version },
        entryPoint: target.entryPoint,
      }
    case 'contractName':
      return { kind: 'call', contract: { name: target.name }, entryPoint: target.entryPoint }
    case 'packageName':
      return {
        kind: 'call',
        contract: { packageName: target.name, version: target.version },
        entryPoint: target.entryPoint,
      }
    case 'native':
      throw new Error('a native transaction is never accepted')
  }
}

/** The hold is gone again when the transaction ends, so global state never sees it. */
function holdEffects(
  purse: Uint8Array,
  blockTimeMs: number,
  motes: bigint,
  effects: readonly Effect[],
): Effect[] {
  const key = processingHoldKey(purse, blockTimeMs)
  return [
    { key, transform: { kind: 'Write', stored: encodeMotes(motes) } },
    ...effects,
    { key, transform: { kind: 'Prune', key } },
  ]
}

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

/** The main purse of an account that is known to exist. */
export function mainPurseOf(state: Pick<Overlay, 'read'>, accountHash: Uint8Array): Uint8Array {
  const stored = state.read(stateKey(accountKey(accountHash)))
  const value = stored === null ? null : decodeStoredValue(stored)
  if (value?.kind === 'Account') return value.account.mainPurse
  throw new Error(`there is no account ${accountHash.toHex()}`)
}

/** Motes in a purse; nothing in one that is not there. */
export function readBalance(state: Pick<Overlay, 'read'>, purse: Uint8Array): bigint {
  const stored = state.read(stateKey(balanceKey(purse)))
  return (stored === null ? null : decodeMotes(stored)) ?? 0n
}
