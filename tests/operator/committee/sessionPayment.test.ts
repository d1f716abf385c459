import { expect, test } from 'bun:test'
import { sessionPaymentMotes } from '../../../src/operator/committee/sessionPayment.ts'

const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const key = { accountHash: hash(1), weight: 1 }

const paymentWith = (...namedKeys: [string, string][]): bigint =>
  sessionPaymentMotes(
    {
      accountHash: hash(1),
      namedKeys: new Map(namedKeys),
      mainPurse: Uint8Array.of(...hash(3), 7),
      associatedKeys: [key],
      actionThresholds: { deployment: 1, keyManagement: 1 },
    },
    { current: [key], next: [1, 2, 3, 4, 5].map((byte) => ({ accountHash: hash(byte), weight: 1 })) },
  )

test('behavior: a named key of an unknown kind counts with its text, which is longer than its bytes', () => {
  const digits = 'ab'.repeat(32)
  const known = paymentWith(['a', `hash-${digits}`])
  expect(paymentWith(['a', `evm-${digits}`])).toBeGreaterThan(known)
  expect(known).toBeGreaterThan(paymentWith())
})
