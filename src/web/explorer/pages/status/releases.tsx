import { DAY_MS } from '@wattfeed/base'
import { useState } from 'preact/hooks'
import type { StatusBody } from '../../../../api/schemas.ts'
import { now } from '../../data/now.ts'
import { momentOrDay, statuses } from '../../data/statuses.ts'
import { formatDuration } from '../../format/moment.ts'
import { ruleWords } from '../../format/ruleWords.ts'
import { FeedLinks } from '../../ui/feedLinks.tsx'
import { limitOnScreen } from '../../ui/paper.ts'
import { ReleaseTime } from '../../ui/releaseTime.tsx'
import { Awaited } from './awaited.tsx'

export function Releases() {
  return (
    <Awaited title="Next releases" resource={statuses}>
      {({ feeds }) => <Calendar releases={releasesOf(feeds)} />}
    </Awaited>
  )
}

const MAX_SHOWN = 12

function Calendar({ releases }: { releases: readonly Release[] }) {
  const [wanted, setWanted] = useState(MAX_SHOWN)
  const limit = limitOnScreen(wanted)
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
        <button type="button" onClick={() => setWanted(wanted + MAX_SHOWN)}>
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

interface Release extends Pick<StatusBody, 'next_due_at' | 'next_due_on'> {
  cadence: NonNullable<StatusBody['cadence']>
  feedIds: string[]
}

/** Returns future releases, the next one first. Feeds with the same rule and time share a release. */
export function releasesOf(feeds: readonly StatusBody[]): Release[] {
  const releases = new Map<string, Release>()
  for (const { feed_id, next_due_at, next_due_on, cadence } of feeds) {
    if (cadence === null) continue
    const key = `${next_due_at ?? next_due_on} ${cadence.rule}`
    const known = releases.get(key) ?? { next_due_at, next_due_on, cadence, feedIds: [] }
    known.feedIds.push(feed_id)
    releases.set(key, known)
  }
  const momentOf = ({ next_due_at, next_due_on }: Release): number => momentOrDay(next_due_at, next_due_on)
  return [...releases.values()].sort((one, other) => momentOf(one) - momentOf(other))
}

/** Formats the time until a release: 'in 3 h', 'tomorrow'. */
export function untilRelease(
  { next_due_at: at, next_due_on: on }: Pick<Release, 'next_due_at' | 'next_due_on'>,
  now: number,
): string {
  if (at !== null) {
    const left = formatDuration(at - now)
    return left === null ? 'now' : `in ${left}`
  }
  const days = on === null ? 0 : Math.ceil((Date.parse(on) - now) / DAY_MS)
  if (days <= 0) return 'today'
  return days === 1 ? 'tomorrow' : `in ${days} days`
}
