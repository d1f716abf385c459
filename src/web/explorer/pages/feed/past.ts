import { describePeriod, formatUtc } from '@wattfeed/eia'
import { useEffect, useMemo } from 'preact/hooks'
import type { ChartLine } from '../../chart/chart.tsx'
import { type LineOf, lineOf } from '../../chart/lines.ts'
import { type FeedHistory, type HistoryItem, readHistory, useHistories } from '../../data/feedHistory.ts'
import type { FeedReading } from '../../data/readings.ts'
import { formatAmount } from '../../format/amount.ts'
import { MAX_TITLE, MAX_UNIT, showText } from '../../format/untrusted.ts'
import type { View } from './view.ts'
import { selectRows, type Vintages } from './vintages.ts'

export type ShownFeed = Pick<FeedReading, 'feed_id' | 'title' | 'unit' | 'decimals' | 'route' | 'frequency'>

/** A feed's history in the chosen view. */
export interface Past {
  readonly feed: ShownFeed
  readonly history: FeedHistory
  /** Ordered by period, or by time of attestation. */
  readonly rows: readonly HistoryItem[]
  readonly line: LineOf<HistoryItem> & Pick<ChartLine, 'describe'>
}

/** Returns the histories of a feed and of the compared feeds in the chosen view. */
export function usePasts(feeds: readonly FeedReading[], { vintages: chosen, asOf, range }: View) {
  const histories = useHistories(feeds)
  const vintages = chosen ?? defaultVintages(histories[0]?.items ?? [])
  const isByTime = vintages === 'all'
  // Each answer has new objects of the same feeds. A text changes only with what the lines show.
  const named = JSON.stringify(feeds.map(shownOf))
  const rows = useMemo(
    () => histories.map(({ items }) => selectRows(items, { vintages, asOf })),
    [vintages, asOf, ...histories.map(({ items }) => items)],
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
  useEarlierValues(pasts, { asOf, range })
  return { pasts, lines, vintages }
}

/** A history of one period, or of periods without a start time, is only meaningful by time of attestation. */
function defaultVintages(items: FeedHistory['items']): Vintages {
  const [newest] = items
  const isOne = items.length > 1 && items.every(({ period }) => period === newest?.period)
  const haveStarts = items.some(({ period_start }) => period_start !== null)
  return isOne || (newest !== undefined && !haveStarts) ? 'all' : 'latest'
}

const shownOf = ({ feed_id, title, unit, decimals, route, frequency }: FeedReading): ShownFeed => ({
  feed_id,
  title,
  unit,
  decimals,
  route,
  frequency,
})

/** Reads the rest of a history if the view starts before the part that has been read. */
function useEarlierValues(pasts: readonly Past[], { asOf, range }: Pick<View, 'asOf' | 'range'>): void {
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

function describer(
  feed: ShownFeed | undefined,
  { rows, isStepped }: LineOf<HistoryItem>,
): (index: number) => string {
  return (index) => {
    const row = rows[index]
    if (row === undefined || feed === undefined) return 'no value'
    const value = `${formatAmount(row.amount, feed.decimals)} ${showText(feed.unit, MAX_UNIT)}`
    const when = describePeriod(feed, row.period).words
    const revision = row.revision === 0 ? '' : `, revision ${row.revision}`
    const attested = isStepped ? `, attested ${formatUtc(row.attested_at)}` : ''
    return `${showText(feed.title, MAX_TITLE)}, ${when}: ${value}${revision}${attested}`
  }
}
