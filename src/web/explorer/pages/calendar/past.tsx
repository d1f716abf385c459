import { type DatedSeries, formatDay } from '@wattfeed/eia'
import { useState } from 'preact/hooks'
import type { CalendarBody } from '../../../../api/schemas.ts'
import { useFeedNames } from '../../data/feedNames.ts'
import { formatDuration } from '../../format/moment.ts'
import { Fact } from '../../ui/fact.tsx'
import { limitOnScreen } from '../../ui/paper.ts'
import { FeedLink, FeedTitle } from '../../ui/text.tsx'
import { Moment, Period } from '../../ui/time.tsx'

type FeedPast = CalendarBody['feeds'][number]

const MAX_SHOWN = 50

/** Planned and attested times, as a whole and per feed. */
export function Past({ calendar: { punctuality, feeds } }: { calendar: CalendarBody }) {
  const [wanted, setWanted] = useState(MAX_SHOWN)
  const limit = limitOnScreen(wanted)
  const known = feeds.filter(({ past }) => past !== null)
  const isWaiting = known.length < feeds.length
  return (
    <>
      <p class="hint">
        From the values on chain. On time means within the grace that wattfeed grants each rule. The first
        three figures leave out rules without a source.
        {isWaiting && ` The values of ${feeds.length - known.length} feeds are still being read.`}
      </p>
      <dl class="facts">
        <Fact name="Releases compared">{punctuality.releases.toLocaleString('en')}</Fact>
        <Fact name="On time">{formatShare(punctuality.share_on_time)}</Fact>
        <Fact name="Median delay">{formatDelay(punctuality.median_delay_ms)}</Fact>
      </dl>
      <ul class="releases punctual">
        {known.slice(0, limit).map((feed) => (
          <li key={feed.feed_id}>
            <PastOf feed={feed} />
          </li>
        ))}
      </ul>
      {known.length > limit && (
        <button type="button" onClick={() => setWanted(wanted + MAX_SHOWN)}>
          Show more of the remaining {(known.length - limit).toLocaleString('en')}
        </button>
      )}
    </>
  )
}

function PastOf({ feed: { feed_id, frequency, punctuality, past } }: { feed: FeedPast }) {
  const feed = useFeedNames()(feed_id)
  const count = punctuality?.releases ?? 0
  return (
    <details>
      <summary>
        <span class="release">
          <span>
            <FeedTitle feed={feed} />
          </span>
          <span class="hint">
            {count === 0
              ? 'nothing to compare yet'
              : `${punctuality?.on_time} of ${count} on time, median ${formatDelay(punctuality?.median_delay_ms ?? null)}`}
          </span>
          <span class="share">{formatShare(punctuality?.share_on_time ?? null)}</span>
        </span>
      </summary>
      <p>
        <FeedLink feed={feed} />
      </p>
      {past !== null && past.length > 0 && <PastTable past={past} of={{ route: feed.route, frequency }} />}
    </details>
  )
}

const PastTable = ({ past, of }: { past: NonNullable<FeedPast['past']>; of: DatedSeries }) => (
  <table class="plain past-releases">
    <thead>
      <tr>
        <th scope="col">Period</th>
        <th scope="col">Planned</th>
        <th scope="col">Attested</th>
        <th scope="col">Delay</th>
      </tr>
    </thead>
    <tbody>
      {past.map(({ period, due_at, due_on, attested_at, delay_ms, is_on_time }) => (
        <tr key={period}>
          <th scope="row">
            <Period of={of} period={period} />
          </th>
          <td>
            {due_at === null ? (
              <time dateTime={due_on}>{formatDay(Date.parse(due_on))}</time>
            ) : (
              <Moment ms={due_at} />
            )}
          </td>
          <td>
            <Moment ms={attested_at} />
          </td>
          <td>
            {formatDelay(delay_ms)} {!is_on_time && <span class="badge is-late">late</span>}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** Formats a share as a percentage, rounded down so that 100 % means all. */
export const formatShare = (share: number | null): string =>
  share === null ? '–' : `${Math.floor(share * 100)} %`

/** Formats a delay: '30 min after', '2 days before'. */
function formatDelay(ms: number | null): string {
  if (ms === null) return '–'
  const length = formatDuration(Math.abs(ms))
  return length === null ? 'at once' : `${length} ${ms < 0 ? 'before' : 'after'}`
}
