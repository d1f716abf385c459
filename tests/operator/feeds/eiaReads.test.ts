import { expect, test } from 'bun:test'
import { cacheEiaReads } from '../../../src/operator/feeds/eiaReads.ts'

const readsOf = (fails: (call: number) => boolean) => {
  let calls = 0
  const reads = cacheEiaReads({
    inspectSeries: () => Promise.reject(new Error('not asked')),
    listFacetValues: async (route, facet) => {
      if (fails(++calls)) throw new Error('EIA is away')
      return [{ id: `${route} ${facet}`, name: '' }]
    },
  })
  return { reads, calls: () => calls }
}

test('default: equal requests are sent once, even during the first one', async () => {
  const { reads, calls } = readsOf(() => false)
  const answers = await Promise.all(['a', 'a', 'b'].map((facet) => reads.listFacetValues('r', facet)))
  expect(answers.map(([value]) => value?.id)).toEqual(['r a', 'r a', 'r b'])
  await reads.listFacetValues('r', 'a')
  expect(calls()).toBe(2)
})

test('error: a failed request is sent again', async () => {
  const { reads, calls } = readsOf((call) => call === 1)
  await expect(reads.listFacetValues('r', 'a')).rejects.toThrow('EIA is away')
  expect(await reads.listFacetValues('r', 'a')).toHaveLength(1)
  expect(calls()).toBe(2)
})
