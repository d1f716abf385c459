import { describe, expect, test } from 'bun:test'
import type { Reads } from 'wattfeed'
import { createNewestValues } from '../../../src/server/readers/newestValues.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { TestChainError } from '../testApp.ts'

interface Value {
  period: number
  amount: bigint
  timestamp: number
}

const valuesOf = (count: number, amount = 1n): Value[] =>
  Array.from({ length: count }, (_, index) => ({
    period: 20_260_101 + index,
    amount,
    timestamp: 1_000 * index,
  }))

/** Reads of a feed with these values, and the ranges that were read. */
function readsOf(values: () => readonly Value[], isDown = () => false) {
  const ranges: [from: number, to: number][] = []
  const at: Pick<Reads, 'getValueCount' | 'getValueHistory'> = {
    getValueCount: async () => values().length,
    async getValueHistory(_, { from = 0, to = Number.POSITIVE_INFINITY } = {}) {
      if (isDown()) throw new TestChainError('decode')
      ranges.push([from, to])
      return values()
        .slice(from, to)
        .map((value) => ({ ...value, source_hash: '', attester: '' }))
    },
  }
  return { at: at as Reads, ranges }
}

describe('createNewestValues', () => {
  test('default: at first as many values as the gaps need, later only the new ones', async () => {
    let values = valuesOf(100)
    const { at, ranges } = readsOf(() => values)
    const newest = createNewestValues(createFakeClient())
    const first = readingOf()
    expect(newest.peek(first)).toBeNull()
    const before = await newest.read(at, first)
    expect([before.count, before.isWhole]).toEqual([100, false])
    expect(before.values.at(-1)).toEqual(values.at(-1))
    expect(newest.peek(first)).toBe(before)
    ranges.length = 0

    values = valuesOf(102)
    const second = readingOf()
    expect(newest.peek(second)).toBeNull()
    const after = await newest.read(at, second)
    expect(ranges).toEqual([[99, 102]])
    expect([after.count, after.values]).toEqual([102, [...before.values, ...values.slice(100)]])
  })

  test('behavior: values of another chain are read again', async () => {
    for (const replaced of [valuesOf(70, 2n), valuesOf(3), []]) {
      let values = valuesOf(65)
      const { at } = readsOf(() => values)
      const newest = createNewestValues(createFakeClient())
      await newest.read(at, readingOf())
      values = replaced
      const after = await newest.read(at, readingOf())
      expect([after.count, after.values]).toEqual([replaced.length, replaced.slice(-after.values.length)])
    }
  })

  test('behavior: concurrent reads share one, and a failed read is not cached', async () => {
    let isDown = true
    const { at, ranges } = readsOf(
      () => valuesOf(5),
      () => isDown,
    )
    const newest = createNewestValues(createFakeClient())
    const reading = readingOf()
    const failed = await Promise.allSettled([newest.read(at, reading), newest.read(at, reading)])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isDown = false
    const [one, other] = await Promise.all([newest.read(at, reading), newest.read(at, reading)])
    expect([one === other, one.isWhole, ranges]).toEqual([true, true, [[0, 5]]])
  })

  test('behavior: values that the cache has dropped are filled again, though their gaps are known', async () => {
    const readings = Array.from({ length: 1_001 }, (_, index) => readingOf({ feed_id: `TEST.${index}` }))
    const [first] = readings
    if (first === undefined) throw new Error('there is no reading')
    const newest = createNewestValues(createFakeClient({ readings }))
    const { at } = readsOf(() => valuesOf(1))
    await newest.readGaps(at, first)
    for (const reading of readings.slice(1)) await newest.read(at, reading)
    expect([newest.peek(first), newest.peekGaps(first)]).toEqual([null, []])
    newest.fill([first])
    await turns()
    expect(newest.peek(first)?.count).toBe(1)
  })

  test('behavior: of more feeds than the cache holds, each is filled once', async () => {
    const readings = Array.from({ length: 1_001 }, (_, index) => readingOf({ feed_id: `TEST.${index}` }))
    const newest = createNewestValues(createFakeClient({ readings }))
    const { at } = readsOf(() => valuesOf(1))
    for (const reading of readings) await newest.readGaps(at, reading)
    newest.fill(readings)
    await turns()
    expect(readings.filter((reading) => newest.peek(reading) === null)).toEqual(readings.slice(0, 1))
  })
})

/** Lets reads in the background end, which wait for nothing. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}
