import { blake3 } from '@noble/hashes/blake3.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { blake2b } from '../../blake2b.ts'
import { apiErrors } from '../apiErrors.ts'
import type { ContractMemory } from '../contractMemory.ts'
import { ExecutionError } from '../executionError.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'
import { readInput } from './input.ts'
import { isSignatureOf, readPublicKey, readSignature, recoverKey, SECP256K1 } from './signature.ts'

const ADDRESS_BYTES = 32

/** By the number of the algorithm: BLAKE2b, BLAKE3, SHA-256. */
const hashes: readonly ((bytes: Uint8Array) => Uint8Array)[] = [
  blake2b,
  (bytes) => blake3(bytes),
  (bytes) => new Uint8Array(new Bun.CryptoHasher('sha256').update(bytes).digest()),
]

export const cryptoFunctions: HostFunctions = {
  blake2b: {
    parameters: 4,
    hasResult: true,
    cost: costOf('blake2b'),
    run({ memory }, pointer, size, outPointer, outSize) {
      const digest = blake2b(memory.read(pointer, size))
      if (digest.length !== outSize) return apiErrors.BufferTooSmall
      memory.write(outPointer, digest)
      return 0
    },
  },
  generic_hash: {
    parameters: 5,
    hasResult: true,
    cost: costOf('generic_hash'),
    run({ memory }, pointer, size, algorithm, outPointer, outSize) {
      const hash = hashes[algorithm & 0xff]
      if (hash === undefined) return apiErrors.InvalidArgument
      const digest = hash(memory.read(pointer, size))
      if (digest.length > outSize) return apiErrors.BufferTooSmall
      return writeIfPossible(memory, outPointer, digest)
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
  verify_signature: {
    parameters: 6,
    hasResult: true,
    cost: costOf('verify_signature'),
    run(runtime, pointer, size, signaturePointer, signatureSize, keyPointer, keySize) {
      const message = runtime.memory.read(pointer, size)
      const signature = readInput(runtime, signaturePointer, signatureSize, readSignature)
      const publicKey = readInput(runtime, keyPointer, keySize, readPublicKey)
      return isSignatureOf(signature, message, publicKey) ? 0 : apiErrors.InvalidArgument
    },
  },
  recover_secp256k1: {
    parameters: 6,
    hasResult: true,
    cost: costOf('recover_secp256k1'),
    run(runtime, pointer, size, signaturePointer, signatureSize, keyPointer, recoveryId) {
      if (recoveryId >= RECOVERY_IDS) return apiErrors.InvalidArgument
      const message = runtime.memory.read(pointer, size)
      const signature = readInput(runtime, signaturePointer, signatureSize, readSignature)
      const publicKey = recoverKey(signature, message, recoveryId)
      if (publicKey === null) return apiErrors.InvalidArgument
      return writeIfPossible(runtime.memory, keyPointer, concatBytes(Uint8Array.of(SECP256K1), publicKey))
    },
  },
}

/** Number of keys that an ECDSA signature can be of. */
const RECOVERY_IDS = 4

/** Like in a node, and unlike in all other functions, a pointer out of bounds does not end the transaction. */
function writeIfPossible(memory: ContractMemory, pointer: number, bytes: Uint8Array): number {
  try {
    memory.write(pointer, bytes)
  } catch (error) {
    if (error instanceof ExecutionError) return apiErrors.HostBufferEmpty
    throw error
  }
  return 0
}
