import { useState } from 'preact/hooks'
import { useNow } from '../../data/now.ts'
import type { Polled } from '../../data/usePolled.ts'
import { formatAge } from '../../format/moment.ts'
import { FeedLink } from '../../ui/text.tsx'
import { Moment } from '../../ui/time.tsx'
import { Awaited } from './awaited.tsx'
import { useTitles } from './lateness.tsx'
import { type Punctuality, type Release, releasesOf, ruleWords } from './punctuality.ts'

/** What EIA publishes next, in order. */
export function Releases({ polled }: { polled: Polled<readonly Punctuality[]> }) {
  return (
    <Awaited title="Next releases" polled={polled}>
      {(feeds) => <Calendar releases={releasesOf(feeds)} />}
    </Awaited>
  )
}

const MAX_SHOWN = 12

function Calendar({ releases }: { releases: readonly Release[] }) {
  const [limit, setLimit] = useState(MAX_SHOWN)
  const titles = useTitles()
  if (releases.length === 0) return <p>No release is known.</p>
  return (
    <>
      <ol class="releases">
        {releases.slice(0, limit).map((release) => (
          <li key={`${release.at} ${release.rule}`}>
            <ReleaseOf release={release} titles={titles} />
          </li>
        ))}
      </ol>
      {releases.length > limit && (
        <button type="button" onClick={() => setLimit(limit + MAX_SHOWN)}>
          Show later ones
        </button>
      )}
    </>
  )
}

const MAX_FEEDS = 30

interface ReleaseProps {
  release: Release
  titles: ReturnType<typeof useTitles>
}

function ReleaseOf({ release: { at, rule, feedIds }, titles }: ReleaseProps) {
  const now = useNow()
  return (
    <details>
      <summary>
        <span class="release">
          <Moment ms={at} />
          <span>
            {ruleWords(rule)} <span class="hint">{at > now ? `in ${formatSpan(at - now)}` : 'now'}</span>
          </span>
          <span class="hint">
            {feedIds.length} {feedIds.length === 1 ? 'feed' : 'feeds'}
          </span>
        </span>
      </summary>
      <ul>
        {feedIds.slice(0, MAX_FEEDS).map((feedId) => (
          <li key={feedId}>
            <FeedLink feed={titles(feedId)} />
          </li>
        ))}
        {feedIds.length > MAX_FEEDS && <li>and {feedIds.length - MAX_FEEDS} more</li>}
      </ul>
    </details>
  )
}

/** How long: '3 days'. */
const formatSpan = (ms: number): string => formatAge(ms).replace(/ ago$/, '')
