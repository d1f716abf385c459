import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '@wattfeed/base'
import {
  addressKey,
  clU512,
  decodeStoredValue,
  decodeU512,
  encodeStoredValue,
  keyTags,
  type StoredValue,
  stateKey,
} from '@wattfeed/casper/types'
import type { StateReader } from './trackingCopy.ts'

/** The node's tag of a hold on a payment; the other kind is for gas. */
const PROCESSING_HOLD = 1

/** @param purse a URef of 33 bytes, as everywhere here */
export const balanceKey = (purse: Uint8Array): Uint8Array =>
  addressKey(keyTags.balance, purse.subarray(0, 32))

/** Returns the key of the hold on a payment while its transaction runs. */
export function processingHoldKey(purse: Uint8Array, blockTimeMs: number): Uint8Array {
  const time = createByteWriter(8).u64(blockTimeMs).finish()
  return concatBytes(Uint8Array.of(keyTags.balanceHold, PROCESSING_HOLD), purse.subarray(0, 32), time)
}

export function encodeMotes(motes: bigint): Uint8Array {
  return encodeStoredValue({ kind: 'CLValue', value: clU512(motes) })
}

/** Decodes a stored amount of motes; null if another kind of value is stored. */
export const decodeMotes = (stored: Uint8Array): bigint | null => motesOf(decodeStoredValue(stored))

/** Returns an amount of motes; null if there is none, or another kind of value. */
export const motesOf = (stored: StoredValue | null): bigint | null =>
  stored?.kind === 'CLValue' ? decodeU512(stored.value) : null

/** Returns whether two URefs are of the same purse, with any rights. */
export const isSamePurse = (a: Uint8Array, b: Uint8Array): boolean =>
  Buffer.compare(a.subarray(0, 32), b.subarray(0, 32)) === 0

/** Reads the balance of a purse in motes; 0 if the purse does not exist. */
export const readBalance = (state: StateReader, purse: Uint8Array): bigint =>
  readMotes(state, balanceKey(purse))

/** Reads an amount of motes; 0 if there is none under the key. */
export function readMotes(state: StateReader, key: Uint8Array): bigint {
  const stored = state.read(stateKey(key))
  return (stored === null ? null : decodeMotes(stored)) ?? 0n
}
