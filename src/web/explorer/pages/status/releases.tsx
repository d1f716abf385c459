import { useState } from 'preact/hooks'
import { now } from '../../data/now.ts'
import { statuses } from '../../data/statuses.ts'
import { ruleWords } from '../../format/ruleWords.ts'
import { FeedLinks } from '../../ui/feedLinks.tsx'
import { ReleaseTime } from '../../ui/releaseTime.tsx'
import { Awaited } from './awaited.tsx'
import { type Release, releasesOf, untilRelease } from './nextReleases.ts'

export function Releases() {
  return (
    <Awaited title="Next releases" resource={statuses}>
      {({ feeds }) => <Calendar releases={releasesOf(feeds)} />}
    </Awaited>
  )
}

const MAX_SHOWN = 12

function Calendar({ releases }: { releases: readonly Release[] }) {
  const [limit, setLimit] = useState(MAX_SHOWN)
  if (releases.length === 0) return <p>No known releases.</p>
  return (
    <>
      <ol class="releases">
        {releases.slice(0, limit).map((release) => (
          <li key={`${release.next_due_at ?? release.next_due_on} ${release.cadence.rule}`}>
            <ReleaseOf release={release} />
          </li>
        ))}
      </ol>
      {releases.length > limit && (
        <button type="button" onClick={() => setLimit(limit + MAX_SHOWN)}>
          Show more
        </button>
      )}
    </>
  )
}

function ReleaseOf({ release }: { release: Release }) {
  const { cadence, feedIds } = release
  return (
    <details>
      <summary>
        <span class="release">
          <span>
            <ReleaseTime of={release} />
          </span>
          <span>
            {ruleWords(cadence.rule)} <span class="hint">{untilRelease(release, now.value)}</span>
          </span>
          <span class="hint">
            {feedIds.length} {feedIds.length === 1 ? 'feed' : 'feeds'}
          </span>
        </span>
      </summary>
      <FeedLinks feedIds={feedIds} />
    </details>
  )
}
