import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/** A public key without its algorithm's byte. */
export interface TaggedKey {
  algorithm: 'ed25519' | 'secp256k1'
  bytes: Uint8Array
}

/** Returns the account hash of a public key: BLAKE2b-256 of the algorithm's name, a zero byte and the key. */
export const accountHashOf = ({ algorithm, bytes }: TaggedKey): Uint8Array =>
  blake2b(concatBytes(utf8ToBytes(`${algorithm}\0`), bytes), { dkLen: 32 })
