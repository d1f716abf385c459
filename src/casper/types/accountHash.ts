import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { decodeHex } from '../../bytes/hex.ts'

/** A public key without its algorithm's byte. */
export interface TaggedKey {
  algorithm: 'ed25519' | 'secp256k1'
  bytes: Uint8Array
}

/** Returns the account hash of a public key: BLAKE2b-256 of the algorithm's name, a zero byte and the key. */
export const accountHashOf = ({ algorithm, bytes }: TaggedKey): Uint8Array =>
  blake2b(concatBytes(utf8ToBytes(`${algorithm}\0`), bytes), { dkLen: 32 })

/** Returns the account hash of a public key in hex, which starts with the algorithm's byte: `01…` or `02…`. */
export const accountHashOfHex = (publicKey: string): Uint8Array =>
  accountHashOf({
    algorithm: publicKey.startsWith('01') ? 'ed25519' : 'secp256k1',
    bytes: decodeHex(publicKey.slice(2), 'public key'),
  })
