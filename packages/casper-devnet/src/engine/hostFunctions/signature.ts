import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { type Cursor, DecodeError } from '@wattfeed/base'

// The algorithms of keys and signatures. A system key has no bytes, and signs nothing.
const SYSTEM = 0
const ED25519 = 1
/** The algorithm byte of a secp256k1 key. */
export const SECP256K1 = 2

/** A key or a signature: the byte of its algorithm, and its own bytes. */
export interface Asymmetric {
  readonly algorithm: number
  readonly bytes: Uint8Array
}

/** Reads a signature. @throws {DecodeError} when it is none, or its numbers are out of range */
export function readSignature(cursor: Cursor): Asymmetric {
  const signature = read(cursor, 'Signature', { [SYSTEM]: 0, [ED25519]: 64, [SECP256K1]: 64 })
  if (signature.algorithm === SECP256K1)
    assertPoint('Signature', () => secp256k1.Signature.fromBytes(signature.bytes))
  return signature
}

/** Reads a public key. @throws {DecodeError} when it is none, or not on the curve */
export function readPublicKey(cursor: Cursor): Asymmetric {
  const publicKey = read(cursor, 'PublicKey', { [SYSTEM]: 0, [ED25519]: 32, [SECP256K1]: 33 })
  const { algorithm, bytes } = publicKey
  if (algorithm === ED25519) assertPoint('PublicKey', () => ed25519.Point.fromBytes(bytes, true))
  if (algorithm === SECP256K1) assertPoint('PublicKey', () => secp256k1.Point.fromBytes(bytes))
  return publicKey
}

function read(cursor: Cursor, what: string, lengths: Readonly<Record<number, number>>): Asymmetric {
  const algorithm = cursor.u8()
  const length = lengths[algorithm]
  if (length === undefined) throw new DecodeError(what, `unknown tag ${algorithm}`)
  return { algorithm, bytes: cursor.bytes(length) }
}

function assertPoint(what: string, decode: () => unknown): void {
  try {
    decode()
  } catch {
    throw new DecodeError(what, 'not on the curve')
  }
}

/** Returns whether a signature is of a message and a key, by the rules of a node, which are strict for Ed25519. */
export function isSignatureOf(signature: Asymmetric, message: Uint8Array, publicKey: Asymmetric): boolean {
  if (signature.algorithm !== publicKey.algorithm) return false
  if (signature.algorithm === ED25519) return isStrict(signature.bytes, message, publicKey.bytes)
  return signature.algorithm === SECP256K1 && secp256k1.verify(signature.bytes, message, publicKey.bytes)
}

function isStrict(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    const isSmall = ed25519.Point.fromBytes(signature.subarray(0, 32)).isSmallOrder()
    return !isSmall && ed25519.verify(signature, message, publicKey, { zip215: false })
  } catch {
    // A part of the signature is not on the curve.
    return false
  }
}

/** Returns the compressed key that made a signature; null if there is none, or the algorithm is another one. */
export function recoverKey(
  { algorithm, bytes }: Asymmetric,
  message: Uint8Array,
  recoveryId: number,
): Uint8Array | null {
  if (algorithm !== SECP256K1) return null
  try {
    const key = secp256k1.recoverPublicKey(Uint8Array.of(recoveryId, ...bytes), message)
    // A node accepts only the lower of the two valid values of `s`.
    return secp256k1.verify(bytes, message, key) ? key : null
  } catch {
    return null
  }
}
