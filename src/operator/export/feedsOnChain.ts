import { DecodeError, readSequence } from '@wattfeed/base'
import pLimit from 'p-limit'
import type { Feed } from 'wattfeed'
import { FeedNotRegisteredError } from '../../feeds/file/feedConfig.ts'
import type { ExportedState } from './dataSet.ts'
import type { ExportedFeed } from './manifest.ts'

/** A feed at the state root of an export. */
export type FeedOnChain = Pick<ExportedFeed, 'feed_id'> &
  Pick<Feed, 'decimals' | 'unit' | 'route' | 'frequency'> & {
    count: number
  }

/**
 * Reads the feeds that are exported: those asked for, or all, in the registry's order.
 *
 * @throws {FeedNotRegisteredError}
 */
export async function listFeeds(
  at: ExportedState,
  selection: readonly string[] | null,
  { concurrency, onRead }: { concurrency: number; onRead: (feeds: number) => void },
): Promise<FeedOnChain[]> {
  let done = 0
  const ids = selection ?? (await listIds(at, concurrency))
  return pLimit(concurrency).map(ids, async (feed_id) => {
    const [feed, count] = await Promise.all([at.getFeed(feed_id), at.getValueCount(feed_id)])
    if (feed === null) throw new FeedNotRegisteredError({ feedId: feed_id })
    const { decimals, unit, route, frequency } = feed
    onRead(++done)
    return { feed_id, decimals, unit, route, frequency, count }
  })
}

async function listIds(at: ExportedState, concurrency: number): Promise<string[]> {
  return readSequence({ from: 0, to: await at.feedCount(), concurrency }, async (index) => {
    const id = await at.feedIdAt(index)
    if (id === null)
      throw new DecodeError(
        `FeedRegistry.ids[${index}]`,
        'the node returned no value, although the feed is counted',
      )
    return id
  })
}
