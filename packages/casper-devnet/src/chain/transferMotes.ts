import { decodeHex } from '@wattfeed/base'
import { accessRights, createUref, stateKey } from '@wattfeed/casper/types'
import { createAddressGenerator } from '../engine/addressGenerator.ts'
import { balanceKey, encodeMotes, readBalance } from '../engine/purse.ts'
import type { StateReader } from '../engine/trackingCopy.ts'
import type { Effect } from '../engine/transform.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { parseTransfer, TRANSFER_MOTES, type Transfer } from '../transaction/transfer.ts'
import { findAccount, newAccount } from './account.ts'
import type { PaidTransfer } from './formatTransfer.ts'

export interface TransferPayment {
  /** The sender's main purse: the source of the transfer and of its cost. */
  purse: Uint8Array
  /** Cost of the transfer, on hold during its execution. */
  limitMotes: bigint
  holdKey: Uint8Array
}

/** The result of a transfer, without the effects of its payment. */
export interface TransferResult {
  error: string | null
  consumed: bigint
  effects: readonly Effect[]
  /** By the lower-case hex of a key. */
  writes: ReadonlyMap<string, Uint8Array>
  transfers: readonly PaidTransfer[]
}

/** Executes a native transfer. It consumes its whole limit, and creates the receiver's account if it does not exist. */
export function transferMotes(
  transaction: Transaction,
  payment: TransferPayment,
  state: StateReader,
): TransferResult {
  const { purse, limitMotes } = payment
  const transfer = parseTransfer(transaction.args ?? [])
  if (transfer === null)
    throw new Error('the transfer has no receiver or amount; it should have been rejected before')
  const balance = readBalance(state, purse)
  const receiver = findReceiver(transaction, transfer, state)
  const fromKey = balanceKey(purse)
  const toKey = receiver === null ? fromKey : balanceKey(receiver.purse)
  if (receiver === null || Buffer.compare(fromKey, toKey) === 0)
    return failedTransfer('Invalid purse', limitMotes)
  if (transfer.motes > balance - limitMotes) return failedTransfer('Insufficient funds', limitMotes)
  const left = balance - transfer.motes
  const sum = readBalance(state, receiver.purse) + transfer.motes
  return {
    error: null,
    consumed: limitMotes,
    effects: [
      ...receiver.created.map(([key, stored]): Effect => ({ key, transform: { kind: 'Write', stored } })),
      { key: payment.holdKey, transform: { kind: 'Identity' } },
      { key: fromKey, transform: { kind: 'Write', stored: encodeMotes(left) } },
      { key: toKey, transform: { kind: 'AddUInt512', amount: transfer.motes } },
    ],
    writes: new Map([
      ...receiver.created.map(([key, stored]) => [stateKey(key), stored] as const),
      [stateKey(fromKey), encodeMotes(left)],
      [stateKey(toKey), encodeMotes(sum)],
    ]),
    transfers: [transferOf(transfer, purse, receiver.purse)],
  }
}

export function failedTransfer(error: string, consumed: bigint): TransferResult {
  return { error, consumed, effects: [], writes: new Map(), transfers: [] }
}

interface Receiver {
  purse: Uint8Array
  /** Writes that create the receiver's account; empty if it exists. */
  created: readonly [key: Uint8Array, stored: Uint8Array][]
}

/** Returns the receiving purse; null if the transfer's target purse does not exist. */
function findReceiver({ hash }: Transaction, { to }: Transfer, state: StateReader): Receiver | null {
  if ('purse' in to)
    return state.read(stateKey(balanceKey(to.purse))) === null ? null : { purse: to.purse, created: [] }
  const existing = findAccount(state, to.accountHash)
  if (existing !== null) return { purse: existing.mainPurse, created: [] }
  const address = createAddressGenerator(decodeHex(hash, 'transaction hash')).next()
  const purse = createUref(address, accessRights.all)
  return { purse, created: newAccount(to.accountHash, purse, 0n) }
}

/** The purse of a receiving account has the right to add only. The gas is not what it paid, even before protocol 2.2. */
function transferOf({ to, motes, id }: Transfer, source: Uint8Array, receiver: Uint8Array): PaidTransfer {
  const transferred = { source, motes, gasMotes: TRANSFER_MOTES, id: id === null ? null : BigInt(id) }
  if ('purse' in to) return { ...transferred, to: null, target: receiver }
  const target = createUref(receiver.subarray(0, 32), accessRights.add)
  return { ...transferred, to: to.accountHash, target }
}
