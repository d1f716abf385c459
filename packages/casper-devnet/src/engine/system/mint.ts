import { createCursor } from '@wattfeed/base'
import {
  accessRights,
  clU512,
  createUref,
  encodeStoredValue,
  keyTags,
  readU512,
  unitValue,
  urefKey,
} from '@wattfeed/casper/types'
import type { CallContext } from '../callContext.ts'
import { mayUse } from '../contextAccessRights.ts'
import { decodeInput } from '../executionError.ts'
import type { FoundContract } from '../findContract.ts'
import { balanceKey, encodeMotes, isSamePurse, motesOf, processingHoldKey } from '../purse.ts'
import type { PurseTransfer } from '../purseTransfer.ts'

/** The node's `mint::Error`. */
export const mintErrors = {
  InsufficientFunds: 0,
  InvalidAccessRights: 4,
  InvalidNonEmptyPurseCreation: 5,
  Storage: 6,
  MissingKey: 8,
  InvalidTotalSupplyReductionAttempt: 11,
  EqualSourceAndTarget: 17,
  ArithmeticOverflow: 18,
  InvalidContext: 20,
  UnapprovedSpendingAmount: 21,
} as const

/** Creates an empty purse, and returns its URef with all rights. A system contract pays nothing for storage. */
export function createPurse({ execution: { addresses, state } }: CallContext): Uint8Array {
  const purse = createUref(addresses.next(), accessRights.all)
  state.write(urefKey(purse), encodeStoredValue({ kind: 'CLValue', value: unitValue }))
  state.write(balanceKey(purse), encodeMotes(0n))
  return purse
}

/** The motes of a purse. */
export interface Balance {
  readonly total: bigint
  /** Without the payment that is on hold while a transaction of the purse runs. */
  readonly available: bigint
}

/** Reads the balance of a purse; null if the URef is not a purse. Anyone may read any balance. */
export function balanceOf({ execution: { state, block } }: CallContext, purse: Uint8Array): Balance | null {
  const total = motesOf(state.peek(balanceKey(purse)))
  if (total === null) return null
  const held = motesOf(state.read(processingHoldKey(purse, block.timeMs))) ?? 0n
  return { total, available: held > total ? 0n : total - held }
}

/** Transfers motes. Returns null, or a {@link mintErrors}. Does not check whether the code has the purses. */
export function transfer(context: CallContext, asked: PurseTransfer): number | null {
  const { source, target, motes } = asked
  const { execution, purses } = context
  if (!mayUse(source, accessRights.write) || !mayUse(target, accessRights.add))
    return mintErrors.InvalidAccessRights
  const from = balanceOf(context, source)
  if (from === null) return mintErrors.Storage
  if (motes > from.available) return mintErrors.InsufficientFunds
  if (balanceOf(context, target) === null) return mintErrors.Storage
  if (isSamePurse(source, execution.account.mainPurse)) {
    if (motes > purses.approvedMotes) return mintErrors.UnapprovedSpendingAmount
    purses.approvedMotes -= motes
  }
  const { state } = execution
  state.write(balanceKey(source), encodeMotes(from.total - motes))
  const sum = (motesOf(state.peek(balanceKey(target))) ?? 0n) + motes
  const stored = { kind: 'CLValue', value: clU512(sum) } as const
  state.transform(balanceKey(target), stored, { kind: 'AddUInt512', amount: motes })
  execution.transfers.push(asked)
  return null
}

/** Burns motes of a purse, at most all. Returns null, or a {@link mintErrors}. */
export function burn(
  context: CallContext,
  { mint, purse, motes }: { mint: FoundContract; purse: Uint8Array; motes: bigint },
): number | null {
  if (!mayUse(purse, accessRights.write)) return mintErrors.InvalidAccessRights
  const balance = balanceOf(context, purse)
  if (balance === null) return mintErrors.Storage
  const { state } = context.execution
  const left = motes > balance.available ? 0n : balance.available - motes
  // As in a node, motes on hold are lost to the purse, too.
  state.write(balanceKey(purse), encodeMotes(left))
  const burned = balance.available - left
  return burned === 0n ? null : reduceTotalSupply(context, mint, burned)
}

function reduceTotalSupply({ execution }: CallContext, mint: FoundContract, motes: bigint): number | null {
  const key = namedUref(mint, 'total_supply')
  if (key === null) return mintErrors.MissingKey
  const supply = motesOf(execution.state.read(key)) ?? 0n
  if (supply < motes) return mintErrors.ArithmeticOverflow
  execution.state.write(key, encodeMotes(supply - motes))
  return null
}

/** Returns what all validators of a round together are paid; null without a total supply or a rate. */
export function baseRoundReward({ execution: { state } }: CallContext, mint: FoundContract): bigint | null {
  const [supplyKey, rateKey] = ['total_supply', 'round_seigniorage_rate'].map((name) => namedUref(mint, name))
  if (supplyKey == null || rateKey == null) return null
  const supply = motesOf(state.read(supplyKey))
  const rate = state.read(rateKey)
  if (supply === null || rate?.kind !== 'CLValue') return null
  const { bytes } = rate.value
  return decodeInput(() => {
    const cursor = createCursor(bytes, 'CLValue')
    const [numerator, denominator] = [readU512(cursor), readU512(cursor)]
    return (supply * numerator) / denominator
  })
}

function namedUref({ contract }: FoundContract, name: string): Uint8Array | null {
  const key = contract.namedKeys.get(name)
  return key?.[0] === keyTags.uref ? key : null
}
