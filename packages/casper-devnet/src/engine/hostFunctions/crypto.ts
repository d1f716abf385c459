import { blake3 } from '@noble/hashes/blake3.js'
import { blake2b } from '../../blake2b.ts'
import { apiErrors } from '../apiErrors.ts'
import { ExecutionError } from '../executionError.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'

const ADDRESS_BYTES = 32

/** By the number of the algorithm: BLAKE2b, BLAKE3, SHA-256. */
const hashes: readonly ((bytes: Uint8Array) => Uint8Array)[] = [
  blake2b,
  (bytes) => blake3(bytes),
  (bytes) => new Uint8Array(new Bun.CryptoHasher('sha256').update(bytes).digest()),
]

export const cryptoFunctions: HostFunctions = {
  generic_hash: {
    parameters: 5,
    hasResult: true,
    cost: costOf('generic_hash'),
    run({ memory }, pointer, size, algorithm, outPointer, outSize) {
      const hash = hashes[algorithm & 0xff]
      if (hash === undefined) return apiErrors.InvalidArgument
      const digest = hash(memory.read(pointer, size))
      if (digest.length > outSize) return apiErrors.BufferTooSmall
      try {
        memory.write(outPointer, digest)
      } catch (error) {
        // Like in a node, and unlike in all other functions, a pointer out of bounds does not end the transaction.
        if (error instanceof ExecutionError) return apiErrors.HostBufferEmpty
        throw error
      }
      return 0
    },
  },
  random_bytes: {
    parameters: 2,
    hasResult: true,
    cost: costOf('random_bytes'),
    run({ memory, execution }, pointer, size) {
      const bytes = execution.addresses.next()
      if (size !== ADDRESS_BYTES) return apiErrors.BufferTooSmall
      memory.write(pointer, bytes)
      return 0
    },
  },
}
