import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { decodeHex, encodeHex } from '@wattfeed/base'

/** An account hash of Casper as text. */
export const accountHashPattern = 'account-hash-[0-9a-f]{64}'

/** A public key of Casper in hex, with the algorithm's byte: `01` Ed25519, `02` secp256k1. */
export const publicKeyPattern = '01[0-9a-f]{64}|02[0-9a-f]{66}'

/**
 * Returns the account hash of a public key in hex, which starts with the algorithm's byte: BLAKE2b-256 of the algorithm's
 * name, a zero byte and the key.
 */
export function accountHashOfHex(publicKey: string): Uint8Array {
  const algorithm = publicKey.startsWith('01') ? 'ed25519' : 'secp256k1'
  const key = decodeHex(publicKey.slice(2), 'public key')
  return blake2b(concatBytes(utf8ToBytes(`${algorithm}\0`), key), { dkLen: 32 })
}

const PREFIX = 'account-hash-'

/** Formats 32 bytes as `account-hash-…`. */
export const formatAccountHash = (hash: Uint8Array): string => PREFIX + encodeHex(hash)

/** Returns whether an address or an account's name is an account hash, and not a contract or a public key. */
export const isAccountHash = (text: string): boolean => text.startsWith(PREFIX)

/** Parses `account-hash-…` in lower case; null for any other text. */
export const parseAccountHash = (text: string): Uint8Array | null =>
  new RegExp(`^${accountHashPattern}$`).test(text)
    ? decodeHex(text.slice(PREFIX.length), 'account hash')
    : null

/** Returns the account hash of an account as people write it: by its hash or by a public key, in any case; null for any other text. */
export function accountHashOfText(text: string): Uint8Array | null {
  const account = text.toLowerCase()
  return new RegExp(`^(${publicKeyPattern})$`).test(account)
    ? accountHashOfHex(account)
    : parseAccountHash(account)
}
