import { expect, test } from 'bun:test'
import { feedsPath } from '../../../src/feeds/file/feedsPath.ts'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'

test('default: FEEDS_FILE, else the feeds that come with wattfeed', async () => {
  expect(feedsPath('my/feeds.json')).toBe('my/feeds.json')
  expect(await loadFeeds(feedsPath(null))).toEqual(await loadFeeds(null))
})
