import { formatUtc } from '@wattfeed/eia'
import { useMemo, useState } from 'preact/hooks'
import type { CalendarBody } from '../../../../api/schemas.ts'
import { useFeedNames } from '../../data/feedNames.ts'
import { now } from '../../data/now.ts'
import { readings } from '../../data/readings.ts'
import { formatLocalTime, formatZone } from '../../format/moment.ts'
import { ruleWords } from '../../format/ruleWords.ts'
import { FeedLinks } from '../../ui/feedLinks.tsx'
import { limitOnScreen } from '../../ui/paper.ts'
import { Moment, Period } from '../../ui/time.tsx'
import { formatDate, listDays, type Release } from './days.ts'

const MAX_DAYS = 10

export function Planned({ calendar }: { calendar: CalendarBody }) {
  const [wanted, setWanted] = useState(MAX_DAYS)
  const limit = limitOnScreen(wanted)
  const { feeds } = readings.value
  const newest = useMemo(() => new Map(feeds?.map(({ feed_id, period }) => [feed_id, period])), [feeds])
  const days = listDays(calendar, now.value, newest)
  if (days.length === 0) return <p>No release is known.</p>
  return (
    <>
      {days.slice(0, limit).map(({ date, releases }) => (
        <section class="day" key={date}>
          <h3>
            <time dateTime={date}>{formatDate(date)}</time>
          </h3>
          <ul class="releases">
            {releases.map((release) => (
              <li key={`${release.schedule} ${release.period}`}>
                <PlannedRelease release={release} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {days.length > limit && (
        <button type="button" onClick={() => setWanted(wanted + 3 * MAX_DAYS)}>
          Show more days
        </button>
      )}
    </>
  )
}

function PlannedRelease({ release }: { release: Release }) {
  const { of, frequency, period, moved, due_at } = release
  // All feeds of a schedule have the same dates.
  const { route } = useFeedNames()(of.feed_ids[0] ?? '')
  return (
    <details>
      <summary>
        <span class="release">
          <span>{due_at === null ? <DayOnly isAssumed={of.is_assumed} /> : <Time ms={due_at} />}</span>
          <span>
            {ruleWords(of.schedule)}, <Period of={{ route, frequency }} period={period} />
            {moved !== null && <span class="badge is-due">moved</span>}
          </span>
          <span class="hint">
            {of.feed_ids.length} {of.feed_ids.length === 1 ? 'feed' : 'feeds'}
          </span>
        </span>
      </summary>
      <dl class="basis">
        {due_at !== null && (
          <>
            <dt>Time</dt>
            <dd>
              <Moment ms={due_at} />
            </dd>
          </>
        )}
        {moved !== null && (
          <>
            <dt>Moved</dt>
            <dd>
              {moved.by === 'announcement' ? 'announced by EIA' : `by ${moved.by}`}; usually{' '}
              {formatUtc(moved.usual_at)}
            </dd>
          </>
        )}
        <dt>Rule</dt>
        <dd>{of.says}</dd>
        <dt>Basis</dt>
        <dd>{of.basis}</dd>
      </dl>
      <FeedLinks feedIds={of.feed_ids} />
    </details>
  )
}

const Time = ({ ms }: { ms: number }) => (
  <time dateTime={new Date(ms).toISOString()} title={formatUtc(ms)}>
    {formatLocalTime(ms)} <span class="hint">{formatZone(ms)}</span>
  </time>
)

const DayOnly = ({ isAssumed }: { isAssumed: boolean }) => (
  <span class="hint">{isAssumed ? 'assumed day' : 'on this day'}</span>
)
