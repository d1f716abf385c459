import { encodeHex } from '../../bytes/hex.ts'
import { blake2b } from '../blake2b.ts'
import { bytesOf, InvalidParamsError } from '../params.ts'

const ED25519 = 1
const SECP256K1 = 2

/** A public key, and the account that it stands for. */
export interface PublicKey {
  algorithm: 'ed25519' | 'secp256k1'
  /** Lower-case hex, with the byte that tells the algorithm before it. */
  hex: string
  /** Without that byte. */
  bytes: Uint8Array
}

/** Reads a public key from hex. Throws an `InvalidParamsError`. */
export function parsePublicKey(value: unknown): PublicKey {
  const bytes = bytesOf(value)
  const algorithm = algorithmOf(bytes[0])
  const length = algorithm === 'ed25519' ? 32 : 33
  if (bytes.length !== length + 1)
    throw new InvalidParamsError(`failed to parse ${algorithm} public key: expected ${length} bytes`)
  return { algorithm, hex: encodeHex(bytes), bytes: bytes.subarray(1) }
}

function algorithmOf(tag: number | undefined): PublicKey['algorithm'] {
  if (tag === ED25519) return 'ed25519'
  if (tag === SECP256K1) return 'secp256k1'
  throw new InvalidParamsError(`invalid tag for public key: ${tag ?? 'none'}`)
}

const utf8 = new TextEncoder()

/** The account hash of a public key: BLAKE2b-256 of the algorithm's name, a zero byte and the key. */
export function accountHashOf({ algorithm, bytes }: PublicKey): Uint8Array {
  return blake2b(utf8.encode(algorithm), Uint8Array.of(0), bytes)
}
