import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '../../bytes/byteWriter.ts'
import { createCursor } from '../../bytes/cursor.ts'
import type { Account } from '../../casper/types/account.ts'
import type { ClValue } from '../../casper/types/clValue.ts'
import { accountKey, addressKey, keyTags, stateKey } from '../../casper/types/key.ts'
import { decodeStoredValue, encodeStoredValue } from '../../casper/types/storedValue.ts'
import type { State } from './overlay.ts'

const PROCESSING_HOLD = 1

export const balanceKey = (purse: Uint8Array): Uint8Array =>
  addressKey(keyTags.balance, purse.subarray(0, 32))

/** Returns the key of the hold on a payment while its transaction runs. */
export function processingHoldKey(purse: Uint8Array, blockTimeMs: number): Uint8Array {
  const time = createByteWriter(8).u64(blockTimeMs).finish()
  return concatBytes(Uint8Array.of(keyTags.balanceHold, PROCESSING_HOLD), purse.subarray(0, 32), time)
}

const u512 = (value: bigint): ClValue => ({
  clType: 'U512',
  bytes: createByteWriter().bigUint(value).finish(),
})

export const encodeMotes = (motes: bigint): Uint8Array =>
  encodeStoredValue({ kind: 'CLValue', value: u512(motes) })

/** Decodes a stored amount of motes; null if another kind of value is stored. */
export function decodeMotes(stored: Uint8Array): bigint | null {
  const value = decodeStoredValue(stored)
  if (value.kind !== 'CLValue' || value.value.clType !== 'U512') return null
  const cursor = createCursor(value.value.bytes, 'U512')
  const motes = cursor.bigUint(64)
  cursor.end()
  return motes
}

export function accountOf(state: Pick<State, 'read'>, accountHash: Uint8Array): Account {
  const account = findAccount(state, accountHash)
  if (account === null) throw new Error(`account ${accountHash.toHex()} does not exist`)
  return account
}

export const findMainPurse = (state: Pick<State, 'read'>, accountHash: Uint8Array): Uint8Array | null =>
  findAccount(state, accountHash)?.mainPurse ?? null

function findAccount(state: Pick<State, 'read'>, accountHash: Uint8Array): Account | null {
  const stored = state.read(stateKey(accountKey(accountHash)))
  const value = stored === null ? null : decodeStoredValue(stored)
  return value?.kind === 'Account' ? value.account : null
}

/** Reads the balance of a purse in motes; 0 if the purse does not exist. */
export function readBalance(state: Pick<State, 'read'>, purse: Uint8Array): bigint {
  const stored = state.read(stateKey(balanceKey(purse)))
  return (stored === null ? null : decodeMotes(stored)) ?? 0n
}
