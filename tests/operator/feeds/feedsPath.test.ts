import { expect, test } from 'bun:test'
import { loadFeeds } from '../../../src/agent/feeds/loadFeeds.ts'
import { feedsPath } from '../../../src/operator/feeds/feedsPath.ts'

test('default: FEEDS_FILE, else the feeds that come with wattfeed', async () => {
  expect(feedsPath('my/feeds.json')).toBe('my/feeds.json')
  expect(await loadFeeds(feedsPath(null))).toEqual(await loadFeeds(null))
})
