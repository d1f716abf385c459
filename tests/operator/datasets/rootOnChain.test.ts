import { describe, expect, test } from 'bun:test'
import type { Manifest } from '@wattfeed/dataset'
import { findOnChain } from '../../../src/operator/datasets/rootOnChain.ts'

const manifest: Manifest = {
  ...{
    route: 'petroleum/pri/spt',
    frequency: 'daily',
    columns: ['value'],
    periods: null,
    facets: ['series'],
  },
  ...{ size: 12, root: 'ab'.repeat(32), oldestPeriod: null, newestPeriod: '2026-11-20', retrievedAt: 1 },
}
const RECIPE = 'eia-dataset:1;value;5;series'
const feedId = 'EIA.DATASET.PETROLEUM.PRI.SPT.DAILY'
const attester = `account-hash-${'01'.repeat(32)}`

/** A client of a chain whose feed has values with these roots and sizes, oldest first, and the ranges that are read. */
function clientOf(values: readonly (readonly [root: string, size: number])[], isRegistered = true) {
  const ranges: [number, number][] = []
  const at = {
    getFeed: async (id: string) =>
      isRegistered && id === feedId ? { description: `Prices.\n${RECIPE}` } : null,
    getValueCount: async () => values.length,
    async getValueHistory(_: string, { from, to }: { from: number; to: number }) {
      ranges.push([from, to])
      return values.slice(from, to).map(([source_hash, size], offset) => ({
        ...{ period: 20261120, amount: BigInt(size), source_hash, attester, timestamp: 1000 + from + offset },
      }))
    },
  }
  return { client: { snapshot: async () => at } as never, ranges }
}

const others = (count: number) => Array.from({ length: count }, () => ['cd'.repeat(32), 12] as const)
const own = [manifest.root, 12] as const
const absent = { index: null, newer: null, attested_at: null, attester: null }

describe('findOnChain', () => {
  test.each([
    ['the newest', [...others(3), own], 3, 0, 4],
    ['an older one', [own, ...others(3)], 0, 3, 4],
    ['the newest of two', [own, own, ...others(1)], 1, 1, 3],
    ['100 values before the newest', [own, ...others(100)], 0, 100, 101],
  ])('default: it is %s', async (_, values, index, newer, count) => {
    const { client } = clientOf(values)
    expect(await findOnChain(client, manifest)).toEqual({
      ...{
        is_registered: true,
        recipe: RECIPE,
        count,
        index,
        newer,
        attested_at: 1000 + index,
        attester,
        searched: newer + 1,
      },
    })
  })

  test.each([
    ['another root', others(2), 2],
    ['another size', [[manifest.root, 11] as const], 1],
    ['the root in upper case', [[manifest.root.toUpperCase(), 12] as const], 1],
    ['more than 100 values before the newest', [own, ...others(101)], 101],
    ['no value', [], 0],
  ])('behavior: %s is not it', async (_, values, searched) => {
    const { client, ranges } = clientOf(values)
    expect(await findOnChain(client, manifest)).toEqual({
      ...{ is_registered: true, recipe: RECIPE, count: values.length, searched, ...absent },
    })
    expect(ranges.reduce((sum, [from, to]) => sum + to - from, 0)).toBe(searched)
  })

  test('behavior: the newest values are read first, and no more than needed', async () => {
    const { client, ranges } = clientOf([...others(40), own, ...others(12)])
    expect(await findOnChain(client, manifest)).toMatchObject({ index: 40, newer: 12, searched: 13 })
    expect(ranges).toEqual([
      [43, 53],
      [33, 43],
    ])
  })

  test('behavior: a dataset without a feed', async () => {
    const { client } = clientOf([], false)
    expect(await findOnChain(client, manifest)).toMatchObject({ is_registered: false, index: null })
  })
})
