import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isDatasetFeed } from 'wattfeed/internal'
import type { StatusBody } from '../../../../api/schemas.ts'
import { decimalsByUnit } from '../../../cite/columnDecimals.ts'
import { feedHref } from '../../../site/feedPath.ts'
import type { FeedReading, UnreadableFeed } from '../../data/readings.ts'
import { useRecentValues } from '../../data/recentValues.ts'
import { padlockOf } from '../../proof/checks.ts'
import { Padlock } from '../../ui/padlock.tsx'
import { isOnPaper } from '../../ui/paper.ts'
import { StateBadge } from '../../ui/stateBadge.tsx'
import { FeedId, FeedLink, Text } from '../../ui/text.tsx'
import { Age, Period } from '../../ui/time.tsx'
import { Value } from '../../ui/value.tsx'
import { Sparkline } from './sparkline.tsx'
import { useRowsOnScreen, useWindow } from './useWindow.ts'
import { Verification } from './verification.tsx'

export interface FeedTableProps {
  feeds: readonly FeedReading[]
  /** Shown above the others. */
  unreadable: readonly UnreadableFeed[]
  /** By feed id; null until they are known. */
  statuses: ReadonlyMap<string, StatusBody> | null
}

/** A row's height in rem, as in feeds.css. Narrow screens stack its cells. */
const ROW_REM = { wide: 3.5, narrow: 7 }
const NARROW = '(max-width: 44rem)'

/**
 * The list of feeds. Only rows near the screen exist; `aria-rowindex` gives their positions to assistive technology.
 */
export function FeedTable({ feeds, unreadable, statuses }: FeedTableProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const rowHeight = useRowHeight()
  const near = useWindow(body, feeds.length, rowHeight)
  // A print does not wait for the small charts of rows far from the screen.
  useRecentValues(feeds.slice(near.first, near.end).filter((feed) => !isDatasetFeed(feed)))
  const { first, end } = isOnPaper.value ? { first: 0, end: feeds.length } : near
  const rendered = feeds.slice(first, end)
  const decimals = useMemo(() => decimalsByUnit(feeds), [feeds])
  const onScreen = useRowsOnScreen(body, feeds.length, rowHeight)
  const padding = { paddingTop: first * rowHeight, paddingBottom: (feeds.length - end) * rowHeight }
  return (
    <>
      <Verification feeds={feeds.slice(onScreen.first, onScreen.end)} />
      <table class="feeds" aria-label="Feeds" aria-rowcount={unreadable.length + feeds.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th>Feed</th>
            <th class="trend">Recent</th>
            <th class="amount">Value</th>
            <th class="when">Period, age</th>
            <th class="marks">Proof</th>
          </tr>
        </thead>
        {unreadable.length > 0 && (
          <tbody class="unreadable">
            {unreadable.map(({ feed_id, reason }, index) => (
              <tr key={feed_id} aria-rowindex={index + 2}>
                <th scope="row">
                  <FeedId id={feed_id} />
                </th>
                <td>
                  This reading is invalid: <Text text={reason} />
                </td>
              </tr>
            ))}
          </tbody>
        )}
        <tbody ref={body} style={padding}>
          {rendered.map((feed, index) => (
            <Row
              key={feed.feed_id}
              feed={feed}
              statuses={statuses}
              decimals={decimals.get(feed.unit) ?? 0}
              rowIndex={unreadable.length + first + index + 2}
            />
          ))}
        </tbody>
      </table>
    </>
  )
}

interface RowProps extends Pick<FeedTableProps, 'statuses'> {
  feed: FeedReading
  /** How many the values of its unit show. */
  decimals: number
  rowIndex: number
}

function Row({ feed, statuses, decimals, rowIndex }: RowProps) {
  return (
    <tr aria-rowindex={rowIndex}>
      <th scope="row">
        <FeedLink feed={feed} />
        <FeedId id={feed.feed_id} />
      </th>
      <td class="trend">
        {isDatasetFeed(feed) ? 'Roots of a dataset' : <Sparkline feedId={feed.feed_id} />}
      </td>
      <td class="amount">
        <Value of={feed} shownDecimals={decimals} />
      </td>
      <td class="when">
        <Period of={feed} period={feed.period} />
        <span class="freshness">
          <Age ms={feed.updated_at} />
          {statuses !== null && <StateBadge status={statuses.get(feed.feed_id)} />}
        </span>
      </td>
      <td class="marks">
        <Padlock of={padlockOf(feed)} href={feedHref(feed.feed_id)} />
      </td>
    </tr>
  )
}

/** Returns a row's height in pixels, which depends on the reader's font size. */
function useRowHeight(): number {
  const narrow = matchMedia(NARROW)
  const read = () => {
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
    return rem * (narrow.matches ? ROW_REM.narrow : ROW_REM.wide)
  }
  const [height, setHeight] = useState(read)
  useEffect(() => {
    const update = () => setHeight(read())
    narrow.addEventListener('change', update)
    return () => narrow.removeEventListener('change', update)
  }, [])
  return height
}
