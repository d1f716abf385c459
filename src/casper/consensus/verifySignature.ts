import { hexToBytes } from '@noble/hashes/utils.js'
import { createLimiter } from '../../async/limiter.ts'
import { nextTask } from '../../async/nextTask.ts'
import { isSecp256k1Signature } from './secp256k1.ts'
import { isStrictEd25519 } from './strictEd25519.ts'

/**
 * Whether a signature over a message is that of a public key; both in hex after the byte that names the algorithm:
 * `01` ed25519, by the runtime's own cryptography, `02` secp256k1. Anything malformed is false, and so is an Ed25519
 * key or signature that {@link isStrictEd25519} refuses.
 *
 * @throws where the runtime has no Ed25519: Node.js 20, Bun, and browsers from 2025 on have it.
 */
export async function verifySignature(
  publicKey: string,
  message: Uint8Array,
  signature: string,
): Promise<boolean> {
  const algorithm = publicKey.slice(0, 2)
  if (signature.slice(0, 2) !== algorithm || !/^[0-9a-f]{130}$/.test(signature)) return false
  const key = hexToBytes(publicKey.slice(2))
  const bytes = hexToBytes(signature.slice(2))
  if (algorithm === '01') return verifyEd25519(key, message, bytes)
  return algorithm === '02' && verifySecp256k1(key, message, bytes)
}

async function verifyEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (key.length !== 32 || !isStrictEd25519(key, signature)) return false
  const imported = await importEd25519(key)
  return imported !== null && crypto.subtle.verify('Ed25519', imported, buffer(signature), buffer(message))
}

/** Null where the bytes are no point of the curve. */
async function importEd25519(key: Uint8Array): Promise<CryptoKey | null> {
  try {
    return await crypto.subtle.importKey('raw', buffer(key), 'Ed25519', false, ['verify'])
  } catch (error) {
    if (error instanceof Error && error.name === 'NotSupportedError') throw error
    return null
  }
}

/** A signature holds the event loop for half a millisecond, and on a slow machine for some. */
const SLICE = 8

/** Blocks that are checked at the same time share the turns of the event loop. */
const oneAtATime = createLimiter(1)
let checked = 0

/** In slices: between two of them, whatever else waits for the event loop has its turn. */
const verifySecp256k1 = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> =>
  oneAtATime(async () => {
    if (checked++ % SLICE === 0) await nextTask()
    return isSecp256k1(key, message, signature)
  })

function isSecp256k1(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return isSecp256k1Signature(key, message, signature)
  } catch {
    return false
  }
}

/** WebCrypto's types ask for memory that is not shared. */
const buffer = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)
