import { describe, expect, test } from 'bun:test'
import { createBatcher } from '../../../src/agent/loop/batcher.ts'
import { createManualWait, turn } from './fakes.ts'

/** Groups of three at maxItems, whose sum is 10 at maxItems. */
function group(items: readonly number[]): number[][] {
  const groups: number[][] = []
  for (const item of items) {
    const last = groups.at(-1)
    const sum = last?.reduce((total, each) => total + each, item) ?? Number.POSITIVE_INFINITY
    if (last !== undefined && last.length < 3 && sum <= 10) last.push(item)
    else groups.push([item])
  }
  return groups
}

function createBench() {
  const { wait, waits } = createManualWait()
  const taken: (readonly number[])[] = []
  const batcher = createBatcher<number>({
    group,
    maxItems: 3,
    waitMs: 500,
    wait,
    take: (items) => taken.push(items),
  })
  return { batcher, taken, waits }
}

describe('createBatcher', () => {
  test('default: hands over a full group at once', () => {
    const { batcher, taken } = createBench()
    for (const item of [1, 2, 3, 4]) batcher.add(item)
    expect(taken).toEqual([[1, 2, 3]])
  })

  test('behavior: a group that takes no more is handed over; what did not fit begins the next one', async () => {
    const { batcher, taken, waits } = createBench()
    for (const item of [4, 5, 6]) batcher.add(item)
    expect(taken).toEqual([[4, 5]])
    waits[0]?.end()
    await turn()
    expect(taken).toEqual([[4, 5]])
    waits[1]?.end()
    await turn()
    expect(taken).toEqual([[4, 5], [6]])
  })

  test('default: hands over the rest when told, and never nothing', () => {
    const { batcher, taken } = createBench()
    batcher.flush()
    batcher.add(1)
    batcher.flush()
    batcher.flush()
    expect(taken).toEqual([[1]])
  })

  test('behavior: the first waits for others only so long', async () => {
    const { batcher, taken, waits } = createBench()
    batcher.add(1)
    batcher.add(2)
    expect(waits.map(({ ms }) => ms)).toEqual([500])
    waits[0]?.end()
    await turn()
    expect(taken).toEqual([[1, 2]])
  })

  test('behavior: a group that was full does not shorten the wait of the next', async () => {
    const { batcher, taken, waits } = createBench()
    for (const item of [1, 2, 3, 4]) batcher.add(item)
    waits[0]?.end()
    await turn()
    expect(taken).toEqual([[1, 2, 3]])
    waits[1]?.end()
    await turn()
    expect(taken).toEqual([[1, 2, 3], [4]])
  })
})
