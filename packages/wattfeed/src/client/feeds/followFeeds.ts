import { isUndecodable } from '@wattfeed/casper'
import type { RootReader } from '../../registry/rootReader.ts'
import { LaggingNodeError } from '../errors.ts'
import { assertGrown } from './eventLogs.ts'
import {
  type Advance,
  advanceFeedList,
  type FeedList,
  type FeedListSource,
  loadFeedList,
} from './feedList.ts'

/**
 * Updates a list to another state root by the event logs. Falls back to reading every feed, so that an undecodable event does not block
 * the list.
 *
 * @throws {@link LaggingNodeError} when the root has fewer events or feeds.
 */
export async function followFeeds(
  source: FeedListSource,
  list: FeedList,
  reader: RootReader,
): Promise<Advance> {
  try {
    return await advanceFeedList(source, list, reader)
  } catch (error) {
    if (!isUndecodable(error)) throw error
    return { kind: 'advanced', list: await readAfter(source, list, reader) }
  }
}

/** Reads every feed at a state root that is later than a list of the same chain. */
export async function readAfter(
  source: FeedListSource,
  list: FeedList,
  reader: RootReader,
): Promise<FeedList> {
  const read = await loadFeedList(source, reader, list)
  assertGrown(list.lengths, read.lengths)
  // Ids are only ever appended, so a node that counts fewer on the same chain lags or hides some.
  if (read.entries.size < list.entries.size)
    throw new LaggingNodeError('FeedRegistry', read.entries.size, list.entries.size)
  return read
}
