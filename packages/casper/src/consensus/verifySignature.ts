import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToNumberLE } from '@noble/curves/utils.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { nextTask } from '@wattfeed/base'
import pLimit from 'p-limit'
import { publicKeyPattern } from '../types/accountHash.ts'

const PUBLIC_KEY = new RegExp(`^(${publicKeyPattern})$`)
const SIGNATURE = /^0[12][0-9a-f]{128}$/

/**
 * Verifies a signature. Key and signature are hex and start with an algorithm byte: `01` is Ed25519, verified by
 * WebCrypto, and `02` is secp256k1. Returns false if they are malformed or `isStrictEd25519` rejects them.
 *
 * @throws when the runtime does not support Ed25519. Node.js 20, Bun, and browsers since 2025 do.
 */
export async function verifySignature(
  publicKey: string,
  message: Uint8Array,
  signature: string,
): Promise<boolean> {
  if (!PUBLIC_KEY.test(publicKey) || !SIGNATURE.test(signature)) return false
  const algorithm = publicKey.slice(0, 2)
  if (signature.slice(0, 2) !== algorithm) return false
  const key = hexToBytes(publicKey.slice(2))
  const bytes = hexToBytes(signature.slice(2))
  return algorithm === '01' ? verifyEd25519(key, message, bytes) : verifySecp256k1(key, message, bytes)
}

async function verifyEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (!isStrictEd25519(key, signature)) return false
  const imported = await importEd25519(key)
  return imported !== null && crypto.subtle.verify('Ed25519', imported, copyOf(signature), copyOf(message))
}

/** Imports a key; returns null if it is not a point on the curve. */
async function importEd25519(key: Uint8Array): Promise<CryptoKey | null> {
  try {
    return await crypto.subtle.importKey('raw', copyOf(key), 'Ed25519', false, ['verify'])
  } catch (error) {
    if (error instanceof Error && error.name === 'NotSupportedError') throw error
    return null
  }
}

/** Number of verifications between yields. Each one blocks the event loop for 0.5 ms, or several on a slow machine. */
const SLICE = 8

/** Shared by all blocks that are being checked, so that they yield together. */
const oneAtATime = pLimit(1)
let checked = 0

/** Yields to the event loop after each slice. Accepts only the lower of the two valid values of `s`, like a node. */
const verifySecp256k1 = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> =>
  oneAtATime(async () => {
    if (checked++ % SLICE === 0) await nextTask()
    return secp256k1.verify(signature, message, key)
  })

/** Copies the bytes, because WebCrypto's types exclude shared memory. */
const copyOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)

/** Prime of the coordinate field. */
const ED25519_FIELD = 2n ** 255n - 19n

/** Order of the base point. */
const ED25519_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

const SIGN_BIT = 2n ** 255n

// y of one of the points of order 8; the other y is its negative. A test derives the value.
const OF_ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n

/** y of the eight points of small order. Their signatures are valid for almost any message. */
const SMALL_ORDER = new Set([0n, 1n, ED25519_FIELD - 1n, OF_ORDER_8, ED25519_FIELD - OF_ORDER_8])

/** Top bytes of all rejected y. Points with another top byte need no bigint arithmetic. */
const SUSPECT_BYTES = new Set([...SMALL_ORDER, ED25519_FIELD].map((y) => Number(y >> 248n)))

/**
 * Returns whether a key and a signature pass the checks of `verify_strict` in the node's library. Both points must be
 * canonical and not of small order, and the scalar must be below the order. Runtimes make only some of these checks.
 */
export function isStrictEd25519(key: Uint8Array, signature: Uint8Array): boolean {
  return isStrictPoint(key) && isStrictPoint(signature.subarray(0, 32)) && isScalar(signature.subarray(32))
}

const isScalar = (bytes: Uint8Array): boolean =>
  (bytes[31] ?? 0) < 16 || bytesToNumberLE(bytes) < ED25519_ORDER

function isStrictPoint(bytes: Uint8Array): boolean {
  if (!SUSPECT_BYTES.has((bytes[31] ?? 0) & 127)) return true
  const y = bytesToNumberLE(bytes) % SIGN_BIT
  return y < ED25519_FIELD && !SMALL_ORDER.has(y)
}
