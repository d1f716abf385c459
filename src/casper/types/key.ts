import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { type Cursor, DecodeError } from '../../bytes/cursor.ts'

const UREF_TAG = 2
const DICTIONARY_TAG = 9
const utf8 = new TextEncoder()

/** How keys that are a tag and 32 bytes begin, by tag. */
const PREFIXES: Readonly<Record<number, string>> = {
  0: 'account-hash-',
  1: 'hash-',
  3: 'transfer-',
  4: 'deploy-',
  6: 'balance-',
  7: 'bid-',
  8: 'withdraw-',
  [DICTIONARY_TAG]: 'dictionary-',
  11: 'era-summary-',
}

/**
 * The `bytesrepr` of a formatted key, as global state has it: without the access rights of a URef.
 *
 * @throws {DecodeError} on text that is no such key.
 *
 * @example
 * ```ts
 * encodeKey('hash-554b659ded7e832604c23bb9f9bc2147da30ea11a4e4730618bd0fb1b967fd76')
 * ```
 */
export function encodeKey(text: string): Uint8Array {
  const [, prefix, hex, rights] = /^([a-z-]+-)([0-9a-f]{64})(-[0-7]{3})?$/.exec(text) ?? []
  if (prefix === undefined || hex === undefined) throw notAKey(text)
  if (prefix === 'uref-' && rights !== undefined)
    return concatBytes(Uint8Array.of(UREF_TAG), hexToBytes(hex), Uint8Array.of(0))
  const tag = Object.keys(PREFIXES).find((candidate) => PREFIXES[Number(candidate)] === prefix)
  if (tag === undefined || rights !== undefined) throw notAKey(text)
  return concatBytes(Uint8Array.of(Number(tag)), hexToBytes(hex))
}

/** The address of a dictionary's item: a hash of the seed's address and the item key. */
export function dictionaryAddress(seedUref: string, itemKey: string): Uint8Array {
  const seed = encodeKey(seedUref).subarray(1, 33)
  return blake2b(concatBytes(seed, utf8.encode(itemKey)), { dkLen: 32 })
}

/** The `bytesrepr` of the key of a dictionary item whose address is given. */
export function encodeDictionaryKey(address: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(DICTIONARY_TAG), address)
}

/** Reads a key and formats it as a node prints it. @throws {DecodeError} on a kind that is not known. */
export function readKey(cursor: Cursor): string {
  const tag = cursor.u8()
  if (tag === UREF_TAG) return readUref(cursor)
  const prefix = PREFIXES[tag]
  if (prefix === undefined) throw new DecodeError('Key', `tag ${tag} is unknown`)
  return prefix + bytesToHex(cursor.bytes(32))
}

/** Reads a URef: 32 bytes and one of access rights. */
export function readUref(cursor: Cursor): string {
  const address = bytesToHex(cursor.bytes(32))
  return `uref-${address}-${cursor.u8().toString(8).padStart(3, '0')}`
}

function notAKey(text: string): DecodeError {
  return new DecodeError('Key', `${JSON.stringify(text.slice(0, 100))} is no key of global state`)
}
