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
  expect(() => registerCall(chosen, dataset(80))).toThrow('its description names 80 columns; leave some out')
  expect(() => registerCall(chosen, dataset(40))).not.toThrow()
  expect(registerCall(chosen, dataset(8)).paymentMotes).toBe(2_500_000_000n)
})
