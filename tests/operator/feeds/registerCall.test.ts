import { expect, test } from 'bun:test'
import type { DatasetConfig } from '../../../src/feeds/file/feedConfig.ts'
import { registerCall } from '../../../src/operator/feeds/register/registerCall.ts'

test('error: a dataset with too many columns for a transaction names the way out', () => {
  const columns = Array.from({ length: 80 }, (_, number) => `a-column-with-a-long-name-${number}`)
  const dataset = (count: number): DatasetConfig => ({
    ...{
      feed_id: 'EIA.DATASET.COAL.AGGREGATE-PRODUCTION.ANNUAL',
      title: 'Coal',
      description: 'Coal',
      source: 'EIA',
    },
    ...{ route: 'coal/aggregate-production', frequency: 'annual', unit: 'values', decimals: 0 },
    dataset: { columns: columns.slice(0, count), periods: 1 },
  })
  const chosen = { feedRegistryPackageHash: '00'.repeat(32), paymentMotes: null }
  const refusal = (count: number) => `its description names ${count} columns; leave some out`
  expect(() => registerCall(chosen, dataset(80), null)).toThrow(refusal(80))
  // Before 2.2, a call may have half as many bytes of arguments.
  expect(() => registerCall(chosen, dataset(40), '2.0.0')).toThrow(refusal(40))
  expect(() => registerCall(chosen, dataset(40), '2.2.2')).not.toThrow()
  expect(() => registerCall(chosen, dataset(40), null)).not.toThrow()
  expect(registerCall(chosen, dataset(8), '2.0.0').paymentMotes).toBe(2_500_000_000n)
})
