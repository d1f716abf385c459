import { describe, expect, test } from 'bun:test'
import { namedArguments } from '@wattfeed/casper/testing/transactionBytes'
import { countArgumentBytes } from '@wattfeed/casper/types'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import { string, u32, u64, u512 } from '@wattfeed/testing/bytesrepr'
import fc from 'fast-check'
import { attestManyArguments, type NewAttestation } from '../../../packages/wattfeed/src/registry/calls.ts'
import {
  type BatchOptions,
  batchAttestations,
  estimateGas,
  MAX_BATCH,
} from '../../../src/agent/plan/attestCall.ts'

const usual: NewAttestation = {
  feed_id: 'EIA.PET.PRICE.WTI.DAILY',
  period: 20261120,
  amount: 59_910_000n,
  source_hash: 'd40bab3b102d38fc6074ccb9317bee27',
}
const times = (count: number, changes: Partial<NewAttestation> = {}): NewAttestation[] =>
  Array.from({ length: count }, (_, index) => ({ ...usual, ...changes, period: index }))
const sizes = (attestations: readonly NewAttestation[], options: Partial<BatchOptions> = {}): number[] =>
  batchAttestations(attestations, { offersMany: true, paymentMotes: null, ...options }).map(
    (batch) => batch.length,
  )

/** What `attest_many` takes in a transaction, by the independent encoder. */
const argumentBytes = (batch: readonly NewAttestation[]): number => {
  const items = batch.map((each) =>
    [string(each.feed_id), u64(each.period), u512(each.amount), string(each.source_hash)].join(''),
  )
  const bytes = u32(batch.length) + items.join('')
  return namedArguments([['attestations', { bytes, cl_type: { List: 'Any' } }]]).length / 2
}

describe('batchAttestations', () => {
  test('default: four of a usual size, because five may take more than 90 % of 5 CSPR', () => {
    expect(sizes(times(9))).toEqual([4, 4, 1])
  })

  test('default: nothing is due', () => {
    expect(sizes([])).toEqual([])
  })

  test('behavior: each alone if the contract has no attest_many', () => {
    expect(sizes(times(3), { offersMany: false })).toEqual([1, 1, 1])
  })

  const payments: [bigint, number[]][] = [
    [1_000_000_000n, [1, 1, 1, 1, 1, 1, 1]],
    [2_500_000_000n, [2, 2, 2, 1]],
    [3_700_000_000n, [3, 3, 1]],
    [5_800_000_000n, [5, 2]],
    [100_000_000_000n, [5, 2]],
  ]
  test.each(payments)('behavior: PAYMENT_MOTES %p', (paymentMotes, expected) => {
    expect(sizes(times(7), { paymentMotes })).toEqual(expected)
  })

  test('behavior: 90 % of the payment, to the mote', () => {
    const gas = estimateGas(times(2), true)
    const least = (gas * 10n + 8n) / 9n
    expect(sizes(times(2), { paymentMotes: least })).toEqual([2])
    expect(sizes(times(2), { paymentMotes: least - 1n })).toEqual([1, 1])
  })

  test('behavior: long ids: as many as fit 512 bytes of arguments', () => {
    const feedId = 'x'.repeat(80)
    const [first = []] = batchAttestations(times(5, { feed_id: feedId }), {
      offersMany: true,
      paymentMotes: 100_000_000_000n,
    })
    expect([first.length, argumentBytes(first), argumentBytes(times(4, { feed_id: feedId }))]).toEqual([
      3, 430, 563,
    ])
  })

  test('behavior: 512 bytes of arguments fit, 513 do not', () => {
    const options = { offersMany: true, paymentMotes: 100_000_000_000n }
    const [first = usual, second = usual] = times(2, { feed_id: 'x'.repeat(187) })
    const fitting = [first, { ...second, amount: second.amount * 256n }]
    const longer = [first, { ...second, amount: second.amount * 65_536n }]
    expect([argumentBytes(fitting), argumentBytes(longer)]).toEqual([512, 513])
    expect(batchAttestations(fitting, options)).toEqual([fitting])
    expect(batchAttestations(longer, options)).toEqual(longer.map((each) => [each]))
  })

  test('behavior: one that cannot be stored on chain does not affect the others', () => {
    const bad = [
      { ...usual, feed_id: '\ud800' },
      { ...usual, amount: -1n },
      { ...usual, amount: 2n ** 512n },
    ]
    const [one = usual, two = usual] = times(2)
    expect(sizes([one, ...bad, two, one])).toEqual([1, 1, 1, 1, 2])
  })

  const anyText = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: 'grapheme', minLength: 100, maxLength: 700 }),
    fc.string({ unit: 'binary-ascii', maxLength: 40 }),
  )
  const attestation = fc.record({
    feed_id: anyText,
    period: fc.nat(),
    amount: fc.bigInt(-1n, 2n ** 513n),
    source_hash: fc.oneof({ weight: 3, arbitrary: fc.constant('ab'.repeat(16)) }, anyText),
  })
  const options = fc.record({
    offersMany: fc.boolean(),
    paymentMotes: fc.option(fc.bigInt(0n, 20_000_000_000n)),
  })

  test('behavior: every attestation is in exactly one batch, in order, and no batch is empty', () => {
    fc.assert(
      fc.property(fc.array(attestation, { maxLength: 30 }), options, (attestations, how) => {
        const batches = batchAttestations(attestations, how)
        expect(batches.flat()).toEqual(attestations)
        expect(batches.every((batch) => batch.length > 0)).toBeTrue()
      }),
    )
  })

  test('behavior: a batch fits 512 bytes and 90 % of its payment, and the next one would not have', () => {
    fc.assert(
      fc.property(fc.array(attestation, { maxLength: 30 }), options, (attestations, how) => {
        const payment = how.paymentMotes ?? 5_000_000_000n
        const fits = (batch: readonly NewAttestation[]): boolean =>
          how.offersMany &&
          batch.length <= MAX_BATCH &&
          batch.every(({ amount }) => amount >= 0n && amount < 2n ** 512n) &&
          argumentBytes(batch) <= 512 &&
          estimateGas(batch, true) * 10n <= payment * 9n
        const batches = batchAttestations(attestations, how)
        for (const [index, batch] of batches.entries()) {
          const [next] = batches[index + 1] ?? []
          if (batch.length > 1) expect(fits(batch)).toBeTrue()
          if (next !== undefined) expect(fits([...batch, next])).toBeFalse()
        }
      }),
    )
  })

  test('behavior: the size of a batch is that of its real arguments', () => {
    fc.assert(
      fc.property(
        fc.array(
          attestation.filter(({ amount }) => amount >= 0n && amount < 2n ** 512n),
          { maxLength: 5 },
        ),
        (batch) => {
          expect(countArgumentBytes(attestManyArguments(batch))).toBe(argumentBytes(batch))
        },
      ),
    )
  })
})
