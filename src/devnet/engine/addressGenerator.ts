import { blake2b } from '../blake2b.ts'
import { chaCha20Block } from './chaCha20.ts'

/** Makes the addresses of everything new in one transaction, the same on every node. */
export interface AddressGenerator {
  /** 32 bytes: the address of a URef, and all that a contract gets for random bytes. */
  next(): Uint8Array
  /** The address of a package, a contract or its wasm. */
  nextHash(): Uint8Array
}

const SESSION_PHASE = 2
const ADDRESS_BYTES = 32

/** Addresses come from the ChaCha20 keystream of which the hash of the transaction and its phase is the key. */
export function createAddressGenerator(transactionHash: Uint8Array): AddressGenerator {
  const key = blake2b(transactionHash, Uint8Array.of(SESSION_PHASE))
  let drawn = 0
  const next = (): Uint8Array => {
    const block = chaCha20Block(key, drawn >> 1)
    const start = drawn % 2 === 0 ? 0 : ADDRESS_BYTES
    drawn += 1
    return block.slice(start, start + ADDRESS_BYTES)
  }
  return { next, nextHash: () => blake2b(next()) }
}
