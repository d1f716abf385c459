import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '../../bytes/byteWriter.ts'
import { createCursor } from '../../bytes/cursor.ts'
import type { ClValue } from '../../casper/types/clValue.ts'
import { addressKey, keyTags } from '../../casper/types/key.ts'
import { decodeStoredValue, encodeStoredValue } from '../../casper/types/storedValue.ts'

const PROCESSING_HOLD = 1

/** The key under which a purse's balance is kept. */
export const balanceKey = (purse: Uint8Array): Uint8Array =>
  addressKey(keyTags.balance, purse.subarray(0, 32))

/** The key under which a payment is held while its transaction runs. */
export function processingHoldKey(purse: Uint8Array, blockTimeMs: number): Uint8Array {
  const time = createByteWriter(8).u64(blockTimeMs).finish()
  return concatBytes(Uint8Array.of(keyTags.balanceHold, PROCESSING_HOLD), purse.subarray(0, 32), time)
}

const u512 = (value: bigint): ClValue => ({
  clType: 'U512',
  bytes: createByteWriter().bigUint(value).finish(),
})

/** An amount of motes as global state keeps it. */
export const encodeMotes = (motes: bigint): Uint8Array =>
  encodeStoredValue({ kind: 'CLValue', value: u512(motes) })

/** Motes of a stored amount, or null where something else is stored. Throws a `DecodeError` on broken bytes. */
export function decodeMotes(stored: Uint8Array): bigint | null {
  const value = decodeStoredValue(stored)
  if (value.kind !== 'CLValue' || value.value.clType !== 'U512') return null
  const cursor = createCursor(value.value.bytes, 'U512')
  const motes = cursor.bigUint(64)
  cursor.end()
  return motes
}
