import { describe, expect, test } from 'bun:test'
import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { isStrictEd25519, verifySignature } from '../../src/consensus/verifySignature.ts'

const { Point } = ed25519
const { n: ORDER } = Point.CURVE()
const FIELD = Point.Fp.ORDER

/** 32 bytes, little-endian. */
function bytesOf(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 255n))
}

/** All points of small order: multiples of a point of order 8, which is any point times the subgroup's order. */
function smallPoints(): Uint8Array[] {
  for (let y = 2n; ; y++) {
    const point = tryPoint(y)
      ?.multiplyUnsafe(ORDER - 1n)
      .add(tryPoint(y) ?? Point.ZERO)
    if (!point || point.multiplyUnsafe(4n).is0()) continue
    return Array.from({ length: 8 }, (_, index) => Point.ZERO.add(times(point, index)).toBytes())
  }
}

const times = (point: InstanceType<typeof Point>, count: number): InstanceType<typeof Point> =>
  Array.from({ length: count }).reduce<InstanceType<typeof Point>>((sum) => sum.add(point), Point.ZERO)

function tryPoint(y: bigint): InstanceType<typeof Point> | null {
  try {
    return Point.fromBytes(bytesOf(y))
  } catch {
    return null
  }
}

const message = new Uint8Array(64).fill(7)
const secret = ed25519.utils.randomSecretKey()
const key = ed25519.getPublicKey(secret)
const signature = ed25519.sign(message, secret)
const concat = (r: Uint8Array, s: Uint8Array): Uint8Array => Uint8Array.from([...r, ...s])
const isVerified = (publicKey: Uint8Array, by: Uint8Array): Promise<boolean> =>
  verifySignature(`01${bytesToHex(publicKey)}`, message, `01${bytesToHex(by)}`)

describe('isStrictEd25519', () => {
  test('default: keys and signatures that are made as usual', async () => {
    expect([isStrictEd25519(key, signature), await isVerified(key, signature)]).toEqual([true, true])
  })

  test('error: every point of small order, as a key and in a signature', async () => {
    const points = smallPoints()
    expect(new Set(points.map(bytesToHex)).size).toBe(8)
    for (const point of points) {
      // With the scalar 0, at least half of them count as signed in the runtimes' own checks.
      expect(await isVerified(point, concat(point, bytesOf(0n)))).toBeFalse()
      expect(isStrictEd25519(point, signature)).toBeFalse()
      expect(isStrictEd25519(key, concat(point, signature.subarray(32)))).toBeFalse()
    }
    expect(await isVerified(bytesOf(1n), concat(bytesOf(1n), bytesOf(0n)))).toBeFalse()
  })

  test('error: a point that is written otherwise than as usual', () => {
    for (let y = FIELD; y < 2n ** 255n; y++)
      for (const sign of [0n, 2n ** 255n]) {
        expect(isStrictEd25519(bytesOf(y + sign), signature)).toBeFalse()
        expect(isStrictEd25519(key, concat(bytesOf(y + sign), signature.subarray(32)))).toBeFalse()
      }
  })

  test('error: a scalar that is not below the order', async () => {
    const scalar = BigInt(`0x${bytesToHex(signature.slice(32).reverse())}`)
    const other = concat(signature.subarray(0, 32), bytesOf(scalar + ORDER))
    expect([isStrictEd25519(key, other), await isVerified(key, other)]).toEqual([false, false])
  })
})
