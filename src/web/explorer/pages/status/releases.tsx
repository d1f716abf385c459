import { useState } from 'preact/hooks'
import { now } from '../../data/now.ts'
import { statuses } from '../../data/statuses.ts'
import { formatAge } from '../../format/moment.ts'
import { ruleWords } from '../../format/ruleWords.ts'
import { FeedLinks } from '../../ui/feedLinks.tsx'
import { ReleaseTime } from '../../ui/releaseTime.tsx'
import { Awaited } from './awaited.tsx'
import { type Release, releasesOf } from './nextReleases.ts'

export function Releases() {
  return (
    <Awaited title="Next releases" resource={statuses}>
      {({ feeds }) => <Calendar releases={releasesOf(feeds)} />}
    </Awaited>
  )
}

const DAY_MS = 86_400_000
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

/** Formats the time until a release: 'in 3 h', 'tomorrow'. */
function untilRelease({ next_due_at: at, next_due_on: on }: Release, now: number): string {
  if (at !== null) return at > now ? `in ${formatAge(at - now).replace(/ ago$/, '')}` : 'now'
  const days = on === null ? 0 : Math.ceil((Date.parse(on) - now) / DAY_MS)
  if (days <= 0) return 'today'
  return days === 1 ? 'tomorrow' : `in ${days} days`
}
