import { formatDay } from '@wattfeed/eia'
import { useState } from 'preact/hooks'
import type { StatusBody } from '../../../../api/schemas.ts'
import { useFeedNames } from '../../data/feedNames.ts'
import { countStates, type FeedState, feedStates, sortByUrgency, statuses } from '../../data/statuses.ts'
import { limitOnScreen } from '../../ui/paper.ts'
import { StateBadge } from '../../ui/stateBadge.tsx'
import { FeedLink } from '../../ui/text.tsx'
import { Age, Period } from '../../ui/time.tsx'
import { Awaited } from './awaited.tsx'

const meanings: Readonly<Record<FeedState, string>> = {
  current: 'has the newest value that EIA should have published',
  due: 'a release time has just passed, and the value has not arrived',
  late: 'the value has not arrived within the usual time after a release',
  stale: 'misses two releases or more',
  unknown: 'cannot be judged',
}

/** Returns whether feeds have the values that EIA should have published by now. */
export function Lateness() {
  return (
    <Awaited title="Feeds against EIA’s calendar" resource={statuses}>
      {({ feeds }) => <States feeds={feeds} />}
    </Awaited>
  )
}

const MAX_SHOWN = 100

function States({ feeds }: { feeds: readonly StatusBody[] }) {
  const [only, setOnly] = useState<FeedState | null>(null)
  const [wanted, setWanted] = useState(MAX_SHOWN)
  const limit = limitOnScreen(wanted)
  const counts = countStates(feeds)
  const found = sortByUrgency(only === null ? feeds : feeds.filter(({ state }) => state === only))
  if (feeds.length === 0) return <p>No feed has a value yet.</p>
  return (
    <>
      <fieldset class="state-picks">
        <legend class="visually-hidden">Which feeds are listed</legend>
        <Pick name="all" count={feeds.length} isChosen={only === null} choose={() => setOnly(null)} />
        {feedStates.map((state) => (
          <Pick
            key={state}
            name={state}
            count={counts.get(state) ?? 0}
            isChosen={only === state}
            choose={() => setOnly(state)}
          />
        ))}
      </fieldset>
      <p class="hint">
        {only === null
          ? 'An estimate: it does not show whether EIA or the agent is late.'
          : `${only}: ${meanings[only]}.`}
      </p>
      <FeedList feeds={found.slice(0, limit)} />
      {found.length === 0 && <p>No feed is {only}.</p>}
      {found.length > limit && (
        <button type="button" onClick={() => setWanted(wanted + MAX_SHOWN)}>
          Show more of the remaining {(found.length - limit).toLocaleString('en')}
        </button>
      )}
    </>
  )
}

interface PickProps {
  name: string
  count: number
  isChosen: boolean
  choose: () => void
}

const Pick = ({ name, count, isChosen, choose }: PickProps) => (
  <button type="button" class="pick" aria-pressed={isChosen} onClick={choose}>
    {name} <b>{count.toLocaleString('en')}</b>
  </button>
)

function FeedList({ feeds }: { feeds: readonly StatusBody[] }) {
  const feedOf = useFeedNames()
  const seriesOf = ({ feed_id, frequency }: StatusBody) => ({ route: feedOf(feed_id).route, frequency })
  return (
    <table class="plain lateness">
      <thead>
        <tr>
          <th scope="col">Feed</th>
          <th scope="col">State</th>
          <th scope="col">Newest value</th>
          <th scope="col">Last release</th>
        </tr>
      </thead>
      <tbody>
        {feeds.map((feed) => (
          <tr key={feed.feed_id}>
            <th scope="row">
              <FeedLink feed={feedOf(feed.feed_id)} />
            </th>
            <td>
              <StateBadge status={feed} />
            </td>
            <td>
              <Period of={seriesOf(feed)} period={feed.period} /> <Age ms={feed.attested_at} />
            </td>
            <td>
              <LastRelease feed={feed} />
              {feed.expected_period !== null && feed.state !== 'current' && (
                <>
                  , <Period of={seriesOf(feed)} period={feed.expected_period} />
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function LastRelease({ feed: { due_at, due_on } }: { feed: StatusBody }) {
  if (due_at !== null) return <Age ms={due_at} />
  if (due_on === null) return <>unknown</>
  return <time dateTime={due_on}>{formatDay(Date.parse(due_on))}</time>
}
