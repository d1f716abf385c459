import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import { array, assert, asyncProperty, integer, nat } from 'fast-check'
import {
  type BlockPoint,
  findBlockAt,
  findBlockUntil,
  MAX_FETCHES,
} from '../../src/lightClient/findBlockAt.ts'

/** A chain with these times between its blocks, and the heights that a search fetches. */
function chainOf(gapsMs: readonly number[]) {
  let timestamp = 1_700_000_000_000
  const blocks: BlockPoint[] = gapsMs.map((gap, height) => {
    timestamp += gap
    return { height, timestamp }
  })
  const fetched: number[] = []
  const newest = blocks.at(-1) as BlockPoint
  const find = (at: number) =>
    findBlockAt(at, newest, async (height) => {
      fetched.push(height)
      return blocks[height] as BlockPoint
    })
  return { blocks, fetched, find }
}

const regular = (count: number): number[] => Array.from({ length: count }, () => 8_192)

describe('findBlockAt', () => {
  test('default: a block of a regular chain, in a few fetches', async () => {
    const { blocks, fetched, find } = chainOf(regular(100_000))
    const block = blocks[12_345] as BlockPoint
    expect(await find(block.timestamp)).toBe(block)
    expect(fetched.length).toBeLessThanOrEqual(3)
  })

  test('behavior: the newest block takes no fetch, and the first block is found', async () => {
    const { blocks, fetched, find } = chainOf(regular(1_000))
    expect(await find(blocks[999]?.timestamp ?? 0)).toBe(blocks[999] as BlockPoint)
    expect(fetched).toEqual([])
    expect(await find(blocks[0]?.timestamp ?? 0)).toBe(blocks[0] as BlockPoint)
  })

  test('behavior: null for a time between blocks, before the first and after the last', async () => {
    const { blocks, find } = chainOf(regular(1_000))
    const times = [(blocks[500]?.timestamp ?? 0) + 1, 0, (blocks[999]?.timestamp ?? 0) + 1]
    for (const time of times) expect(await find(time)).toBeNull()
  })

  test('behavior: any chain, also with outages and fast blocks, within the limit', async () => {
    const gap = integer({ min: 0, max: 30 }).map((power) => 2 ** power)
    const chain = array(gap, { minLength: 1, maxLength: 3_000 })
    await assert(
      asyncProperty(chain, nat(), async (gaps, at) => {
        const { blocks, fetched, find } = chainOf(gaps)
        const block = blocks[at % blocks.length] as BlockPoint
        expect(await find(block.timestamp)).toBe(block)
        expect(fetched.length).toBeLessThanOrEqual(MAX_FETCHES)
      }),
    )
  })

  test('behavior: 8 million blocks with a year’s outage, within the limit', async () => {
    const YEAR_MS = 365 * 86_400_000
    const timeOf = (height: number) => height * 1_000 + (height > 4_000_000 ? YEAR_MS : 0)
    const blockAt = (height: number): BlockPoint => ({ height, timestamp: timeOf(height) })
    for (const height of [0, 3_999_999, 4_000_000, 4_000_001, 7_999_998]) {
      let fetches = 0
      const found = await findBlockAt(timeOf(height), blockAt(8_000_000), async (each) => {
        fetches += 1
        return blockAt(each)
      })
      expect(found).toEqual(blockAt(height))
      expect(fetches).toBeLessThanOrEqual(MAX_FETCHES)
    }
  })

  test('error: blocks whose times do not grow with their height', async () => {
    const newest = { height: 1_000, timestamp: 10_000_000 }
    for (const timestamp of [newest.timestamp, 20_000_000]) {
      const find = findBlockAt(5_000_000, newest, async (height) => ({ height, timestamp }))
      expect((await errorOf(find)).message).toContain('has the wrong height, or its time is out of order')
    }
  })
})

describe('findBlockUntil', () => {
  test('default: the newest block that is not after the time; null before the first', async () => {
    const blockAt = (height: number): BlockPoint => ({ height, timestamp: 1_000 + height * 8_192 })
    const find = (time: number) => findBlockUntil(time, blockAt(1_000), async (height) => blockAt(height))
    const times = [999, 1_000, 1_001, 9_191, 9_192, blockAt(1_000).timestamp + 1]
    const heights = []
    for (const time of times) heights.push((await find(time))?.height ?? null)
    expect(heights).toEqual([null, 0, 0, 0, 1, 1_000])
  })
})
