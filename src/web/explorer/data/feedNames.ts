import { useMemo } from 'preact/hooks'
import { type FeedReading, readings } from './readings.ts'

/** Returns a function that finds a feed's title and route by its id; both are empty until the feeds are loaded. */
export function useFeedNames(): (feedId: string) => Pick<FeedReading, 'feed_id' | 'title' | 'route'> {
  const { feeds } = readings.value
  const known = useMemo(() => new Map(feeds?.map((feed) => [feed.feed_id, feed])), [feeds])
  return (feed_id) => known.get(feed_id) ?? { feed_id, title: '', route: '' }
}
