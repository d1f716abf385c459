import { describe, expect, test } from 'bun:test'
import { attestArguments, attestManyArguments } from '../../../src/agent/attestArguments.ts'
import { type BatchOptions, createAttestCall } from '../../../src/agent/outbox/attestCall.ts'
import { errorOf } from '../../support/errorOf.ts'
import { attestationOf } from './outboxBench.ts'

const options: BatchOptions = { offersMany: true, paymentMotes: null }
const many = [0, 1, 2].map((feed) => attestationOf(feed))
const six = [0, 1, 2, 3, 4, 0].map((feed) => attestationOf(feed))
const [one = attestationOf(0)] = many

describe('createAttestCall', () => {
  test('default: one is attest, and pays the least', () => {
    expect(createAttestCall([one], options)).toEqual({
      entryPoint: 'attest',
      args: attestArguments(one),
      paymentMotes: 2_500_000_000n,
    })
  })

  test('default: several are attest_many, and pay 5 CSPR', () => {
    expect(createAttestCall(many, options)).toEqual({
      entryPoint: 'attest_many',
      args: attestManyArguments(many),
      paymentMotes: 5_000_000_000n,
    })
  })

  test('behavior: PAYMENT_MOTES overrides both', () => {
    const paymentMotes = 6_000_000_000n
    for (const attestations of [[one], many])
      expect(createAttestCall(attestations, { ...options, paymentMotes }).paymentMotes).toBe(paymentMotes)
  })

  const wrong: [string, number, BatchOptions, string][] = [
    ['none', 0, options, 'the argument must be 1 to 5 attestations'],
    ['six', 6, options, 'the argument must be 1 to 5 attestations'],
    ['two without attest_many', 2, { ...options, offersMany: false }, 'the argument must be one attestation'],
  ]
  test.each(wrong)('error: %s', async (_, count, how, message) => {
    const error = await errorOf((async () => createAttestCall(six.slice(0, count), how))())
    expect({ code: error.code, message: error.message }).toEqual({ code: 'argument', message })
  })

  test('error: a payment that may not suffice would be lost as a whole', async () => {
    const long = { ...one, feedId: 'x'.repeat(600), amount: 2n ** 511n }
    const error = await errorOf((async () => createAttestCall([long], { ...options, offersMany: false }))())
    expect({ ...error, message: error.message } as object).toEqual({
      code: 'payment',
      retryable: false,
      gasMotes: 3_054_000_000n,
      paymentMotes: 2_500_000_000n,
      message:
        'the call may consume 3054000000 motes, and the payment is 2500000000; raise PAYMENT_MOTES or shorten the feed id',
    })
  })
})
