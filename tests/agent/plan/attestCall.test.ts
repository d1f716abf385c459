import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import { attestArguments, attestManyArguments } from '../../../packages/wattfeed/src/registry/calls.ts'
import { type BatchOptions, createAttestCall, estimateGas } from '../../../src/agent/plan/attestCall.ts'
import { attestationOf } from '../send/outboxBench.ts'

const options: BatchOptions = { offersMany: true, paymentMotes: null }
const many = [0, 1, 2].map((feed) => attestationOf(feed))
const six = [0, 1, 2, 3, 4, 0].map((feed) => attestationOf(feed))
const [one = attestationOf(0)] = many

describe('createAttestCall', () => {
  test('default: one is attest, and pays the minimum', () => {
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
    const long = { ...one, feed_id: 'x'.repeat(600), amount: 2n ** 511n }
    const error = await errorOf((async () => createAttestCall([long], { ...options, offersMany: false }))())
    expect({ ...error, message: error.message } as object).toEqual({
      code: 'payment',
      retryable: false,
      gasMotes: 3_054_000_000n,
      paymentMotes: 2_500_000_000n,
      message:
        'the call may consume 3054000000 motes, but the payment is 2500000000; raise PAYMENT_MOTES or shorten the feed id',
    })
  })
})

/** Attestations with texts of these lengths in bytes. */
const times = (count: number, id: number, amountBytes: number, hash = 32) =>
  Array.from({ length: count }, () => ({
    feed_id: 'x'.repeat(id),
    period: 20261120,
    amount: 1n << BigInt(8 * amountBytes - 1),
    source_hash: 'a'.repeat(hash),
  }))

/** Motes that the built wasm consumed on the node's execution engine: how many, id, amount and hash in bytes. */
const measured: [number, number, number, number, bigint][] = [
  [1, 23, 4, 32, 1_113_626_055n],
  [1, 23, 64, 32, 1_331_897_505n],
  [1, 23, 4, 100, 1_354_313_478n],
  [1, 400, 4, 32, 1_779_315_914n],
  [2, 23, 4, 32, 2_024_581_184n],
  [3, 23, 4, 32, 2_937_421_468n],
  [4, 23, 4, 32, 3_852_463_101n],
  [5, 3, 4, 32, 4_585_884_436n],
  [5, 23, 1, 32, 4_713_481_031n],
  [5, 23, 4, 32, 4_776_700_316n],
  [5, 23, 4, 0, 4_199_263_451n],
  [5, 23, 4, 100, 5_971_436_771n],
  [5, 23, 64, 32, 5_858_432_561n],
  [5, 40, 4, 32, 4_916_237_961n],
  [5, 80, 4, 32, 5_269_658_186n],
]

/** The same for feeds from before claims existed. */
const measuredUnclaimed: [number, bigint][] = [
  [1, 1_167_070_215n],
  [4, 4_071_864_492n],
  [5, 5_040_846_563n],
]

/** The same of the contract that has no `attest_many`: id and amount in bytes. */
const measuredOld: [number, number, bigint][] = [
  [3, 4, 1_446_638_365n],
  [23, 4, 1_493_381_760n],
  [23, 64, 1_730_526_360n],
  [40, 4, 1_528_846_364n],
  [160, 64, 2_031_615_899n],
  [400, 64, 2_562_577_979n],
]

const inPercent = (estimate: bigint, consumed: bigint): number => Number((estimate * 1_000n) / consumed) / 10

describe('estimateGas', () => {
  test.each(measured)('default: %p with %p, %p and %p bytes: a bound, at most 12 %% above', (...measure) => {
    const [count, id, amount, hash, consumed] = measure
    const percent = inPercent(estimateGas(times(count, id, amount, hash), true), consumed)
    expect(percent).toBeGreaterThanOrEqual(100)
    expect(percent).toBeLessThan(112)
  })

  test.each(measuredUnclaimed)('behavior: %p of feeds without a claim', (count, consumed) => {
    expect(inPercent(estimateGas(times(count, 23, 4), true), consumed)).toBeGreaterThanOrEqual(100)
  })

  test.each(measuredOld)('behavior: one with %p and %p bytes at the old contract', (id, amount, consumed) => {
    const percent = inPercent(estimateGas(times(1, id, amount), false), consumed)
    expect(percent).toBeGreaterThanOrEqual(100)
    expect(percent).toBeLessThan(112)
  })

  test('error: arguments that cannot be stored on chain', async () => {
    const estimate = async () => estimateGas(times(1, 23, 65), true)
    expect(await errorOf(estimate())).toMatchObject({ code: 'argument' })
  })
})
