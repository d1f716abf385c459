import { type Arguments, clString, clU8 } from '../casper/types/arguments.ts'
import type { Feed } from '../registry/feed.ts'

/** The arguments of `register_feed`, for a new feed or new metadata of a known one. Throws an `ArgumentError`. */
export function registerArguments(feedId: string, feed: Feed): Arguments {
  return {
    feed_id: clString(feedId),
    decimals: clU8(feed.decimals),
    unit: clString(feed.unit),
    title: clString(feed.title),
    source: clString(feed.source),
    route: clString(feed.route),
    frequency: clString(feed.frequency),
    description: clString(feed.description),
  }
}
