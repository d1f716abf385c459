import { keccak_256 } from '@noble/hashes/sha3.js'
import { decodeHex, encodeHex } from '@wattfeed/base'
import { textOf } from '../../runtime/settings/textTypes.ts'

/** Order of BN254's scalar field: roots, nullifiers and commitments are below it. */
export const ORDER = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

/** Encodes a number as 32 bytes in hex, big-endian. */
export const toHex = (value: bigint): string => value.toString(16).padStart(64, '0')

/**
 * Hashes a number of 64 hex digits to a field element as Semaphore does: keccak256 of its 32 bytes, without the last 8
 * bits.
 *
 * @see contracts/src/semaphore.rs, which does the same
 */
export function hashToField(hex: string): bigint {
  return BigInt(`0x${encodeHex(keccak_256(decodeHex(hex, 'number')))}`) >> 8n
}

/** Parses a positive field element in decimal or, with 0x, in hex; null if invalid. */
export function parseFieldElement(text: string): bigint | null {
  if (!/^(0x[0-9a-f]{1,64}|[0-9]{1,78})$/i.test(text)) return null
  const value = BigInt(text)
  return value > 0n && value < ORDER ? value : null
}

export const fieldElement = textOf(
  'a number above 0 and below the field’s order',
  (text) => parseFieldElement(text) ?? undefined,
)
