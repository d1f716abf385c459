import { describe, expect, test } from 'bun:test'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { verifySignature } from '../../src/consensus/verifySignature.ts'

const { n } = secp256k1.Point.CURVE()
const message = new TextEncoder().encode('a block')

/** 32 bytes, big-endian. */
const scalar = (value: bigint): Uint8Array => Uint8Array.fromHex(value.toString(16).padStart(64, '0'))
const joined = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(parts.flatMap((part) => [...part]))

function sign(text = message): { key: Uint8Array; r: bigint; s: bigint; signature: Uint8Array } {
  const { secretKey, publicKey: key } = secp256k1.keygen()
  const signature = secp256k1.sign(text, secretKey)
  const { r, s } = secp256k1.Signature.fromBytes(signature)
  return { key, r, s, signature }
}

const isValid = (key: Uint8Array, text: Uint8Array, signature: Uint8Array): Promise<boolean> =>
  verifySignature(`02${key.toHex()}`, text, `02${signature.toHex()}`)

describe('verifySignature with secp256k1', () => {
  test('default: true for signatures of many keys', async () => {
    for (let index = 0; index < 50; index++) {
      const text = crypto.getRandomValues(new Uint8Array(index))
      const { key, signature } = sign(text)
      expect(await isValid(key, text, signature)).toBe(true)
    }
  })

  test('error: a bit flipped anywhere in the key, the message or the signature', async () => {
    const { key, signature } = sign()
    const flipped = (bytes: Uint8Array, index: number): Uint8Array =>
      bytes.with(index, (bytes[index] ?? 0) ^ (1 << (index % 8)))
    for (let index = 0; index < key.length; index++)
      expect(await isValid(flipped(key, index), message, signature)).toBe(false)
    for (let index = 0; index < signature.length; index++)
      expect(await isValid(key, message, flipped(signature, index))).toBe(false)
    expect(await isValid(key, flipped(message, 0), signature)).toBe(false)
  })

  test('error: the higher of the two s that fit, which is its malleated copy', async () => {
    const { key, r, s } = sign()
    const signature = joined(scalar(r), scalar(n - s))
    expect(secp256k1.verify(signature, message, key, { lowS: false })).toBe(true)
    expect(await isValid(key, message, signature)).toBe(false)
  })

  test.each([
    ['r is 0', 0n, 1n],
    ['s is 0', 1n, 0n],
    ['both are 0', 0n, 0n],
    ['r is the order', n, 1n],
    ['s is the order', 1n, n],
    ['r is past the field', 2n ** 256n - 1n, 1n],
  ])('error: %s', async (_, r, s) => {
    expect(await isValid(sign().key, message, joined(scalar(r), scalar(s)))).toBe(false)
  })

  test('error: a sum that is the point at infinity', async () => {
    // If the key is minus the message's hash times the base point and r = 1, both parts cancel out.
    const hash = BigInt(`0x${new Bun.CryptoHasher('sha256').update(message).digest('hex')}`) % n
    const key = secp256k1.Point.BASE.multiply(n - hash).toBytes()
    expect(await isValid(key, message, joined(scalar(1n), scalar(1n)))).toBe(false)
  })

  test('error: a key that is not a point of the curve, or of another length', async () => {
    const { key, signature } = sign()
    // No point has this x.
    const noPoint = joined(Uint8Array.of(2), scalar(5n))
    for (const wrong of [noPoint, key.with(0, 5), key.subarray(1), new Uint8Array(33), new Uint8Array()])
      expect(await isValid(wrong, message, signature)).toBe(false)
  })
})
