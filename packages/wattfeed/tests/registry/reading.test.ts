import { describe, expect, test } from 'bun:test'
import { anyU512 } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { createReading, readingToJson, scaleAmount } from '../../src/registry/reading.ts'
import { nearestDouble } from './nearestDouble.ts'

const largest = 2n ** 512n - 1n

describe('createReading', () => {
  const feed = {
    decimals: 2,
    unit: '€/MWh',
    title: 'Title',
    source: 'EIA',
    route: 'electricity/rto',
    frequency: 'hourly',
    description: 'Description',
  }
  const value = { period: 2026112013, amount: 12345n, source_hash: 'abc', timestamp: 1_795_168_726_426 }

  test('default: both together, in the order of the HTTP interface', () => {
    expect(Object.entries(createReading('A', feed, value))).toEqual([
      ['feed_id', 'A'],
      ['decimals', 2],
      ['unit', '€/MWh'],
      ['title', 'Title'],
      ['source', 'EIA'],
      ['route', 'electricity/rto'],
      ['frequency', 'hourly'],
      ['description', 'Description'],
      ['value', 123.45],
      ['amount', 12345n],
      ['period', 2026112013],
      ['source_hash', 'abc'],
      ['updated_at', 1_795_168_726_426],
    ])
  })

  test('behavior: callers cannot change the shared readings', () => {
    expect(Object.isFrozen(createReading('A', feed, value))).toBeTrue()
  })
})

describe('readingToJson', () => {
  const feed = { decimals: 6, unit: '', title: '', source: '', route: '', frequency: '', description: '' }

  test('default: a reading survives a round trip through JSON, for any amount', () => {
    fc.assert(
      fc.property(anyU512, fc.string(), (amount, feedId) => {
        const value = { period: 20261120, amount, source_hash: '', timestamp: 1 }
        const reading = createReading(feedId, feed, value)
        const parsed = JSON.parse(JSON.stringify(readingToJson(reading)))
        expect({ ...parsed, amount: BigInt(parsed.amount) }).toEqual(reading)
      }),
    )
  })
})

describe('scaleAmount', () => {
  const cases: [bigint, number, number][] = [
    [3049380n, 6, 3.04938],
    [0n, 0, 0],
    [0n, 255, 0],
    [1n, 255, 1e-255],
    [123n, 0, 123],
    [9007199254740993n, 0, 9007199254740992],
    [9007199254740995n, 0, 9007199254740996],
    [11n, 1, 1.1],
    [largest, 0, 1.3407807929942597e154],
    [largest, 255, 1.3407807929942597e-101],
  ]
  test.each(cases)('default: %p with %p decimals is %p', (amount, decimals, value) => {
    expect(scaleAmount(amount, decimals)).toBe(value)
  })

  test('behavior: it is rounded once; a division of doubles would round twice', () => {
    const twice = (amount: bigint, decimals: number) => Number(amount) / 10 ** decimals
    const amounts = fc.sample(fc.bigInt({ min: 2n ** 60n, max: 2n ** 80n }), { numRuns: 200, seed: 1 })
    const differ = amounts.filter((amount) => scaleAmount(amount, 18) !== twice(amount, 18))
    expect(differ.length).toBeGreaterThan(0)
    for (const amount of differ) expect(scaleAmount(amount, 18)).toBe(nearestDouble(amount, 18))
  })

  test('behavior: the double nearest to the exact quotient, for every amount and all decimals', () => {
    fc.assert(
      fc.property(anyU512, fc.nat({ max: 255 }), (amount, decimals) => {
        expect(scaleAmount(amount, decimals)).toBe(nearestDouble(amount, decimals))
      }),
      { numRuns: 1_000 },
    )
  })

  test('behavior: a quotient that is just half way goes to the even double', () => {
    const half = fc.tuple(fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }), fc.nat({ max: 400 }))
    fc.assert(
      fc.property(
        half,
        fc.constantFrom(-1n, 0n, 1n),
        fc.nat({ max: 15 }),
        ([mantissa, shift], off, decimals) => {
          const amount = ((2n * mantissa + 1n) * 2n ** BigInt(shift) + off) * 10n ** BigInt(decimals)
          expect(scaleAmount(amount, decimals)).toBe(nearestDouble(amount, decimals))
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test('behavior: every number of decimals of the largest amount', () => {
    for (let decimals = 0; decimals <= 255; decimals++)
      expect(scaleAmount(largest, decimals)).toBe(nearestDouble(largest, decimals))
  })
})
