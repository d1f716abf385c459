import { bytesToHex } from '@noble/hashes/utils.js'

/** The field that coordinates are of. */
const FIELD = 2n ** 255n - 19n

/** How many points a key can reach. */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

const SIGN_BIT = 2n ** 255n

// The y of a point of order 8; the other one is its negative. Derived anew by a test.
const OF_ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n

/** The y of the eight points of small order, whose signatures fit almost any message. */
const SMALL_ORDER = new Set([0n, 1n, FIELD - 1n, OF_ORDER_8, FIELD - OF_ORDER_8])

/** The highest bytes of all y that are refused; the rest of a block's hundred points need no big numbers. */
const SUSPECT_BYTES = new Set([...SMALL_ORDER, FIELD].map((y) => Number(y >> 248n)))

/**
 * Whether a key and a signature are what `verify_strict` of a node's library takes: neither the key nor the
 * signature's point is of small order or written otherwise than the one usual way, and the scalar is below the order.
 * Runtimes check only some of that.
 */
export function isStrictEd25519(key: Uint8Array, signature: Uint8Array): boolean {
  return isStrictPoint(key) && isStrictPoint(signature.subarray(0, 32)) && isScalar(signature.subarray(32))
}

const isScalar = (bytes: Uint8Array): boolean => (bytes[31] ?? 0) < 16 || littleEndian(bytes) < ORDER

function isStrictPoint(bytes: Uint8Array): boolean {
  if (!SUSPECT_BYTES.has((bytes[31] ?? 0) & 127)) return true
  const y = littleEndian(bytes) % SIGN_BIT
  return y < FIELD && !SMALL_ORDER.has(y)
}

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${bytesToHex(bytes.toReversed())}`)
