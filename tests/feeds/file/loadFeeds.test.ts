import { expect, test } from 'bun:test'
import { pickFeed, UnknownFeedError } from '../../../src/feeds/file/loadFeeds.ts'
import { createConfig } from '../../operator/feeds/support/feedConfigs.ts'

const feeds = [
  createConfig(),
  createConfig({ feed_id: 'EIA.PET.PRICE.BRENT.DAILY' }),
  createConfig({ feed_id: 'Own.Demand.DAILY' }),
]

test('default: the feed with the id', () => {
  expect(pickFeed(feeds, 'EIA.PET.PRICE.BRENT.DAILY')).toBe(feeds[1] as (typeof feeds)[0])
})

test.each([
  ['eia.pet.price.wti', 'did you mean EIA.PET.PRICE.WTI.DAILY?'],
  ['PRICE', 'did you mean EIA.PET.PRICE.WTI.DAILY, EIA.PET.PRICE.BRENT.DAILY?'],
  ['demand', 'did you mean Own.Demand.DAILY?'],
  ['NOPE\n', '"feeds list" shows all feeds'],
])('error: %j is not in the file', (feedId, hint) => {
  expect(() => pickFeed(feeds, feedId)).toThrow(UnknownFeedError)
  expect(() => pickFeed(feeds, feedId)).toThrow(
    `the feeds file has no feed ${JSON.stringify(feedId)}; ${hint}`,
  )
})
