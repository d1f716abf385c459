import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { decodeHex } from '../../bytes/hex.ts'

/**
 * Returns the account hash of a public key in hex, which starts with the algorithm's byte: BLAKE2b-256 of the algorithm's
 * name, a zero byte and the key.
 */
export function accountHashOfHex(publicKey: string): Uint8Array {
  const algorithm = publicKey.startsWith('01') ? 'ed25519' : 'secp256k1'
  const key = decodeHex(publicKey.slice(2), 'public key')
  return blake2b(concatBytes(utf8ToBytes(`${algorithm}\0`), key), { dkLen: 32 })
}
