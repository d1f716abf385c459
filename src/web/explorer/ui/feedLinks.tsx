import { useFeedNames } from '../data/feedNames.ts'
import { FeedLink } from './text.tsx'

const MAX_FEEDS = 30

/** Links to the first feeds of a release, and the number of the others. */
export function FeedLinks({ feedIds }: { feedIds: readonly string[] }) {
  const feedOf = useFeedNames()
  return (
    <ul>
      {feedIds.slice(0, MAX_FEEDS).map((feedId) => (
        <li key={feedId}>
          <FeedLink feed={feedOf(feedId)} />
        </li>
      ))}
      {feedIds.length > MAX_FEEDS && <li>and {feedIds.length - MAX_FEEDS} more</li>}
    </ul>
  )
}
