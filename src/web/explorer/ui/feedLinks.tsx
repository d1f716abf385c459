import { useFeedNames } from '../data/feedNames.ts'
import { limitOnScreen } from './paper.ts'
import { FeedLink } from './text.tsx'

const MAX_FEEDS = 30

/** Links to the first feeds of a release, and the number of the others. */
export function FeedLinks({ feedIds }: { feedIds: readonly string[] }) {
  const feedOf = useFeedNames()
  const limit = limitOnScreen(MAX_FEEDS)
  return (
    <ul>
      {feedIds.slice(0, limit).map((feedId) => (
        <li key={feedId}>
          <FeedLink feed={feedOf(feedId)} />
        </li>
      ))}
      {feedIds.length > limit && <li>and {feedIds.length - limit} more</li>}
    </ul>
  )
}
