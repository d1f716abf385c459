import { expect, test } from 'bun:test'
import { type DatasetConfig, feedMetadata } from '../../../src/agent/feeds/feedConfig.ts'
import { loadFeeds } from '../../../src/agent/feeds/loadFeeds.ts'
import builtIn from '../../../src/library/catalog/feeds.json' with { type: 'json' }
import { registerCall, registerPaymentMotes } from '../../../src/operator/feeds/register/registerCall.ts'
import { createConfig } from './support/feedConfigs.ts'

const paymentOf = (changes: Parameters<typeof createConfig>[0]): bigint => {
  const config = createConfig(changes)
  return registerPaymentMotes(config.feed_id, feedMetadata(config))
}

test('default: 2.5 CSPR up to 290 characters of description, 5 CSPR beyond', () => {
  expect(paymentOf({ description: 'x' })).toBe(2_500_000_000n)
  expect(paymentOf({ description: 'x'.repeat(290) })).toBe(2_500_000_000n)
  expect(paymentOf({ description: 'x'.repeat(291) })).toBe(5_000_000_000n)
})

test('behavior: unusually many bytes pay 5 CSPR too, whichever text they are in', () => {
  expect(paymentOf({ description: '€'.repeat(290) })).toBe(5_000_000_000n)
  expect(paymentOf({ description: 'x', title: 'x'.repeat(500) })).toBe(5_000_000_000n)
})

test('behavior: every built-in feed is registered for 2.5 CSPR', async () => {
  const feeds = await loadFeeds(null)
  expect(feeds).toHaveLength(builtIn.length)
  for (const feed of feeds)
    expect(registerPaymentMotes(feed.feed_id, feedMetadata(feed))).toBe(2_500_000_000n)
})

test('error: a dataset with too many columns for a transaction names the way out', () => {
  const columns = Array.from({ length: 40 }, (_, number) => `a-column-with-a-long-name-${number}`)
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
  expect(() => registerCall(chosen, dataset(40))).toThrow('its description names 40 columns; leave some out')
  expect(registerCall(chosen, dataset(8)).paymentMotes).toBe(2_500_000_000n)
})
