import { createByteWriter, DecodeError, encodeHex } from '@wattfeed/base'
import { MIN_PAYMENT_MOTES } from '@wattfeed/casper/transaction'
import { type ParsedAccount, parseKey, writeAccount } from '@wattfeed/casper/types'
import type { KeyChange } from './sessionArgs.ts'

/** The chainspec's `storage_costs.gas_per_byte`. */
const MOTES_PER_BYTE = 1_117_587n

/** More than reading the arguments and computing consumes. */
const COMPUTING_MOTES = 300_000_000n

/** How often the session sets a threshold. */
const THRESHOLD_WRITES = 3

/** The bytes of a key in the account's record. */
const KEY_BYTES = 33

/**
 * Returns what a change pays, in motes: a fifth more than it can consume, because running out of gas loses everything. The
 * chain stores the whole record of the account, with its named keys, for each key and threshold that changes.
 */
export function sessionPaymentMotes(
  account: ParsedAccount,
  { current, next }: Pick<KeyChange, 'current' | 'next'>,
): bigint {
  const before = new Map(current.map(({ accountHash, weight }) => [encodeHex(accountHash), weight]))
  const after = new Map(next.map(({ accountHash, weight }) => [encodeHex(accountHash), weight]))
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => before.get(key) !== after.get(key),
  )
  // The session writes a key without weight to find out whether it exists.
  const weightless = current.filter(({ weight }) => weight === 0)
  const added = [...after.keys()].filter((key) => !before.has(key))
  // One byte before the record says what kind of value the chain stores.
  const recordBytes = countRecordBytes(account) + 1 + added.length * KEY_BYTES
  const writes = changed.length + weightless.length + THRESHOLD_WRITES
  const consumed = BigInt(writes * recordBytes) * MOTES_PER_BYTE + COMPUTING_MOTES
  const payment = (consumed * 6n) / 5n
  return payment > MIN_PAYMENT_MOTES ? payment : MIN_PAYMENT_MOTES
}

function countRecordBytes(account: ParsedAccount): number {
  const namedKeys = new Map([...(account.namedKeys ?? [])].map(([name, key]) => [name, keyBytes(key)]))
  return writeAccount(createByteWriter(), { ...account, namedKeys }).finish().length
}

/** Serializes a key. The text of an unknown kind takes its place, which is longer. */
function keyBytes(key: string): Uint8Array {
  try {
    return parseKey(key)
  } catch (error) {
    if (error instanceof DecodeError) return new TextEncoder().encode(key)
    throw error
  }
}
