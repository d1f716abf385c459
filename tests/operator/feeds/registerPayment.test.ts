import { expect, test } from 'bun:test'
import builtIn from 'wattfeed/feeds.json' with { type: 'json' }
import { feedMetadata } from '../../../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'
import { registerPaymentMotes } from '../../../src/operator/feeds/register/registerPayment.ts'
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
