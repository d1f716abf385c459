import { chacha20 } from '@noble/ciphers/chacha.js'
import { blake2b } from '../blake2b.ts'

/** Generates the addresses of items that a transaction creates. All nodes generate the same addresses. */
export interface AddressGenerator {
  /** Returns 32 bytes, for the address of a URef or for random bytes that a contract requests. */
  next(): Uint8Array
  /** Returns the address of a package, a contract or its wasm. */
  nextHash(): Uint8Array
}

const SESSION_PHASE = 2
const ADDRESS_BYTES = 32
const BLOCK_BYTES = 64
const NONCE = new Uint8Array(12)

/** Returns the ChaCha20 keystream whose key is the hash of transaction hash and phase. */
export function createAddressGenerator(transactionHash: Uint8Array): AddressGenerator {
  const key = blake2b(transactionHash, Uint8Array.of(SESSION_PHASE))
  let drawn = 0
  let block: Uint8Array = new Uint8Array()
  const next = (): Uint8Array => {
    const start = drawn % 2 === 0 ? 0 : ADDRESS_BYTES
    if (start === 0) block = chacha20(key, NONCE, new Uint8Array(BLOCK_BYTES), undefined, drawn >> 1)
    drawn += 1
    return block.slice(start, start + ADDRESS_BYTES)
  }
  return { next, nextHash: () => blake2b(next()) }
}
