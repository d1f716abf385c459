import { Field } from '@noble/curves/abstract/modular.js'
import { weierstrass } from '@noble/curves/abstract/weierstrass.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** The curve by SEC 2, section 2.4.1. */
const curve = {
  p: 2n ** 256n - 2n ** 32n - 977n,
  n: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
  h: 1n,
  a: 0n,
  b: 7n,
  Gx: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  Gy: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
}

/** A cube root of 1, and short vectors that split a scalar by it: multiplication takes half the doublings (GLV). */
const endo = {
  beta: 0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501een,
  basises: [
    [0x3086d221a7d46bcde86c90e49284eb15n, -0xe4437ed6010e88286f547fa90abfe4c3n],
    [0x114ca50f7a8e2f3f657c1108d9d44cfd8n, 0x3086d221a7d46bcde86c90e49284eb15n],
  ] as [[bigint, bigint], [bigint, bigint]],
}

const Point = weierstrass(curve, { Fp: Field(curve.p), endo })
const { Fn } = Point

/**
 * Whether an ECDSA signature (`r`, then `s`, 32 bytes each) over the SHA-256 of a message is that of a compressed
 * public key, by SEC 1, section 4.1.4. Of the two values of `s` that would fit, only the lower one is accepted, as a
 * node does.
 *
 * The library's curve without its `ecdsa`, which would bring signing, DER and HMAC along: 4 kB gzipped.
 *
 * @throws where a key, `r` or `s` is malformed.
 */
export function isSecp256k1Signature(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const r = Fn.fromBytes(signature.subarray(0, 32))
  const s = Fn.fromBytes(signature.subarray(32))
  if (r === 0n || s === 0n || s > curve.n >> 1n) return false
  const hash = Fn.create(BigInt(`0x${bytesToHex(sha256(message))}`))
  const inverse = Fn.inv(s)
  const sum = Point.BASE.mulAddUnsafe(Fn.mul(hash, inverse), Point.fromBytes(key), Fn.mul(r, inverse))
  return !sum.is0() && Fn.create(sum.x) === r
}
