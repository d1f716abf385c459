import { useEffect, useMemo } from 'preact/hooks'
import type { ChartLine } from '../../chart/chart.tsx'
import { havePeriods, type Line, lineOf, rowsOf } from '../../chart/lines.ts'
import { type FeedHistory, type HistoryItem, readHistory, useHistories } from '../../data/feedHistory.ts'
import type { FeedReading } from '../../data/readings.ts'
import { formatAmount } from '../../format/amount.ts'
import { formatUtc } from '../../format/moment.ts'
import { describePeriod } from '../../format/period.ts'
import { showText } from '../../format/untrusted.ts'
import type { View } from './view.ts'

/** What a feed's values are called and measured in. */
export type ShownFeed = Pick<FeedReading, 'feed_id' | 'title' | 'unit' | 'decimals' | 'frequency'>

/** A feed's past as the view wants it. */
export interface Past {
  readonly feed: ShownFeed
  readonly history: FeedHistory
  /** By period, or by time of attestation. */
  readonly rows: readonly HistoryItem[]
  readonly line: Line & Pick<ChartLine, 'describe'>
}

const MAX_TITLE = 60
const MAX_UNIT = 24

/** The pasts of a feed and of those that it is compared with, each as the view wants it; and whether they are shown by time. */
export function usePasts(feeds: readonly FeedReading[], { vintages, asOf, range }: View) {
  const histories = useHistories(feeds)
  const isByTime =
    vintages === 'all' || histories.some(({ items }) => items.length > 0 && !havePeriods(items))
  const named = JSON.stringify(feeds.map(shownOf))
  const rows = useMemo(
    () => histories.map(({ items }) => rowsOf(items, { vintages: isByTime ? 'all' : vintages, asOf })),
    [vintages, isByTime, asOf, ...histories.map(({ items }) => items)],
  )
  const lines = useMemo(() => {
    const shown: ShownFeed[] = JSON.parse(named)
    return rows.map((each, index) => {
      const line = lineOf(each, isByTime)
      return { ...line, describe: describer(shown[index], line) }
    })
  }, [named, isByTime, rows])
  const pasts: Past[] = []
  for (const [index, feed] of feeds.entries()) {
    const [history, own, line] = [histories[index], rows[index], lines[index]]
    if (history !== undefined && own !== undefined && line !== undefined)
      pasts.push({ feed, history, rows: own, line })
  }
  useWhatIsShown(pasts, { asOf, range })
  return { pasts, lines, isByTime }
}

const shownOf = ({ feed_id, title, unit, decimals, frequency }: FeedReading): ShownFeed => ({
  feed_id,
  title,
  unit,
  decimals,
  frequency,
})

/** Reads on where the view begins before what is read. */
function useWhatIsShown(pasts: readonly Past[], { asOf, range }: Pick<View, 'asOf' | 'range'>): void {
  useEffect(() => {
    for (const { feed, history, line } of pasts) {
      const oldest = history.items.at(-1)
      if (oldest === undefined || history.read === history.count) continue
      const [first] = line.x
      const isBefore = first === undefined || (range !== null && range.from < first)
      if (isBefore || (asOf !== null && asOf < oldest.attested_at))
        readHistory(feed.feed_id, Number.POSITIVE_INFINITY)
    }
  })
}

function describer(feed: ShownFeed | undefined, { rows, isStepped }: Line): (index: number) => string {
  return (index) => {
    const row = rows[index]
    if (row === undefined || feed === undefined) return 'no value'
    const value = `${formatAmount(row.amount, feed.decimals)} ${showText(feed.unit, MAX_UNIT)}`
    const when = describePeriod(feed.frequency, row.period).words
    const revision = row.revision === 0 ? '' : `, revision ${row.revision}`
    const attested = isStepped ? `, attested ${formatUtc(row.attested_at)}` : ''
    return `${showText(feed.title, MAX_TITLE)}, ${when}: ${value}${revision}${attested}`
  }
}
