import { describe, expect, test } from 'bun:test'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { blake2b } from '../../src/blake2b.ts'
import { apiErrors } from '../../src/engine/apiErrors.ts'
import { type HostCall, plainText } from '../support/engine/hostCalls.ts'
import { OUTPUT, useAccountSession } from './support/accountSession.ts'

const { errorOf, effectsOf, outputOf } = useAccountSession()

const message = plainText('a message')
const secret = new Uint8Array(32).fill(9)
const [ED25519, SECP256K1] = [1, 2]
const tagged = (algorithm: number, bytes: Uint8Array): Uint8Array =>
  concatBytes(Uint8Array.of(algorithm), bytes)

const keys = {
  ed25519: tagged(ED25519, ed25519.getPublicKey(secret)),
  secp256k1: tagged(SECP256K1, secp256k1.getPublicKey(secret)),
}
const signatures = {
  ed25519: tagged(ED25519, ed25519.sign(message, secret)),
  secp256k1: tagged(SECP256K1, secp256k1.sign(message, secret)),
}
const badEncoding = 'Serialization error: Deserialization error: formatting'

describe('verify_signature', () => {
  const verify = (signature: Uint8Array, key: Uint8Array, returns = 0, of = message): HostCall => ({
    name: 'verify_signature',
    args: [of, signature, key],
    returns,
  })

  test('default: both algorithms', () => {
    effectsOf(
      verify(signatures.ed25519, keys.ed25519),
      verify(signatures.secp256k1, keys.secp256k1),
      verify(signatures.ed25519, keys.ed25519, apiErrors.InvalidArgument, plainText('another')),
      verify(signatures.secp256k1, keys.secp256k1, apiErrors.InvalidArgument, plainText('another')),
    )
  })

  test('error: a key of another algorithm, and of the system', () => {
    effectsOf(
      verify(signatures.ed25519, keys.secp256k1, apiErrors.InvalidArgument),
      verify(Uint8Array.of(0), keys.ed25519, apiErrors.InvalidArgument),
      verify(Uint8Array.of(0), Uint8Array.of(0), apiErrors.InvalidArgument),
    )
  })

  test('error: a key or a point of small order, which signs any message', () => {
    const identity = Uint8Array.of(1, ...new Uint8Array(31))
    const forAnyMessage = tagged(ED25519, concatBytes(identity, new Uint8Array(32)))
    effectsOf(
      verify(forAnyMessage, tagged(ED25519, identity), apiErrors.InvalidArgument),
      verify(forAnyMessage, keys.ed25519, apiErrors.InvalidArgument),
    )
  })

  test('error: the higher of the two valid values of s', () => {
    const { r, s } = secp256k1.Signature.fromBytes(signatures.secp256k1.subarray(1))
    const high = new secp256k1.Signature(r, secp256k1.Point.CURVE().n - s)
    effectsOf(verify(tagged(SECP256K1, high.toBytes()), keys.secp256k1, apiErrors.InvalidArgument))
  })

  test('error: bytes that are no signature or no key', () => {
    expect(errorOf(verify(Uint8Array.of(3), keys.ed25519))).toBe(badEncoding)
    expect(errorOf(verify(tagged(SECP256K1, new Uint8Array(64)), keys.secp256k1))).toBe(badEncoding)
    expect(errorOf(verify(signatures.ed25519, tagged(SECP256K1, new Uint8Array(33))))).toBe(badEncoding)
    const offCurve = Uint8Array.of(2, ...new Uint8Array(31))
    expect(errorOf(verify(signatures.ed25519, tagged(ED25519, offCurve)))).toBe(badEncoding)
    expect(errorOf(verify(signatures.ed25519.subarray(0, 64), keys.ed25519))).toBe(
      'Serialization error: Deserialization error: early end of stream',
    )
  })
})

describe('recover_secp256k1', () => {
  const recoverable = secp256k1.sign(message, secret, { format: 'recovered' })
  const recoveryId = recoverable[0] ?? 0
  const recover = (id: number, returns = 0, signature = signatures.secp256k1): HostCall => ({
    name: 'recover_secp256k1',
    args: [message, signature, OUTPUT, id],
    returns,
  })

  test('default: the key with its algorithm', () => {
    expect(outputOf(34, recover(recoveryId))).toEqual(keys.secp256k1)
    expect(outputOf(34, recover(recoveryId ^ 1))).not.toEqual(keys.secp256k1)
  })

  test('error: an unknown identifier, one without a key, and another algorithm', () => {
    effectsOf(
      recover(4, apiErrors.InvalidArgument),
      recover(2, apiErrors.InvalidArgument),
      recover(recoveryId, apiErrors.InvalidArgument, signatures.ed25519),
    )
  })

  test('error: a place out of memory does not end the session', () => {
    const call = recover(recoveryId, apiErrors.HostBufferEmpty)
    effectsOf({ ...call, args: [message, signatures.secp256k1, 65_536 - 33, recoveryId] })
  })
})

test('default: blake2b', () => {
  const hash = (size: number, returns = 0): HostCall => ({
    name: 'blake2b',
    args: [message, OUTPUT, size],
    returns,
  })
  expect(outputOf(32, hash(32))).toEqual(blake2b(message))
  effectsOf(hash(31, apiErrors.BufferTooSmall), hash(33, apiErrors.BufferTooSmall))
  expect(errorOf({ name: 'blake2b', args: [message, 65_536 - 31, 32] })).toContain('trying to access region')
})
