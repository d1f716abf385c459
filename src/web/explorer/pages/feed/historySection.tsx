import { useMemo } from 'preact/hooks'
import { isDatasetFeed } from 'wattfeed/internal'
import { Chart, type ChartLine } from '../../chart/chart.tsx'
import type { Range } from '../../chart/range.ts'
import { readHistory } from '../../data/feedHistory.ts'
import type { FeedReading } from '../../data/readings.ts'
import { formatAmount } from '../../format/amount.ts'
import { MAX_TITLE, MAX_UNIT, showText } from '../../format/untrusted.ts'
import { Fault } from '../../ui/states.tsx'
import { FeedLink, FeedTitle, Text, Unit } from '../../ui/text.tsx'
import { Period } from '../../ui/time.tsx'
import { AsOf } from './asOf.tsx'
import { Compare, type LeftOut } from './compare.tsx'
import type { Past, usePasts } from './past.ts'
import { TABLE_ID } from './valuesTable.tsx'
import type { View } from './view.ts'
import type { Vintages } from './vintages.ts'

export interface HistorySectionProps {
  view: View
  change(parts: Partial<View>): void
  histories: ReturnType<typeof usePasts>
  /** All feeds that can be compared. */
  feeds: readonly FeedReading[]
  leftOut: readonly LeftOut[]
}

/** The history of a feed as a chart: its vintages, its earlier states, and the feeds to compare it with. */
export function HistorySection({
  view,
  change,
  histories: { pasts, lines, vintages },
  feeds,
  leftOut,
}: HistorySectionProps) {
  const [own] = pasts
  const named = JSON.stringify(pasts.map(({ feed: { title, unit } }) => [title, unit]))
  // Each rendering has new pasts, but the same lines and names until they change.
  const shown = useMemo(() => pasts.map(chartLineOf), [lines, named])
  if (own === undefined) return null
  const { history } = own
  return (
    <section aria-labelledby="past-title" class="past">
      <h2 id="past-title">History</h2>
      <div class="past-controls">
        <VintageSwitch vintages={vintages} onChange={(vintages) => change({ vintages, range: null })} />
        <AsOf history={history} asOf={view.asOf} onChange={(asOf) => change({ asOf })} />
      </div>
      <Chart
        lines={shown}
        isReady={pasts.every(({ history: { count, fault } }) => count !== null || fault !== null)}
        range={view.range}
        onRange={(range: Range | null) => change({ range })}
        onPick={(index) => {
          const picked = own.line.rows[index]
          if (picked !== undefined) change({ period: picked.period })
        }}
        label={`History of ${showText(own.feed.title, MAX_TITLE)} in ${showText(own.feed.unit, MAX_UNIT)}`}
        detailsId={TABLE_ID}
      />
      <ReadProgress pasts={pasts} isByTime={vintages === 'all'} />
      <Compare
        pasts={pasts}
        feeds={feeds.filter((feed) => !isDatasetFeed(feed))}
        compared={view.compared}
        leftOut={leftOut}
        onChange={(compared) => change({ compared })}
      />
    </section>
  )
}

function chartLineOf({ feed, line }: Past, index: number): ChartLine {
  return {
    ...line,
    id: feed.feed_id,
    unit: feed.unit,
    name: index === 0 ? <FeedTitle feed={feed} /> : <FeedLink feed={feed} />,
    show(point) {
      const row = line.rows[point]
      if (row === undefined) return 'no value'
      return (
        <>
          <b>{formatAmount(row.amount, feed.decimals)}</b> <Unit text={feed.unit} /> ·{' '}
          <Period of={feed} period={row.period} />
          {row.revision > 0 && ` · rev. ${row.revision}`}
        </>
      )
    },
  }
}

const vintageNames: Readonly<Record<Vintages, [name: string, meaning: string]>> = {
  latest: ['Latest', 'the last attested value of each period'],
  first: ['First print', 'the first attested value of each period'],
  all: ['Every revision', 'every attested value, at the time of its attestation'],
}

function VintageSwitch({ vintages, onChange }: { vintages: Vintages; onChange(vintages: Vintages): void }) {
  return (
    <fieldset class="switch">
      <legend>Vintages</legend>
      {(Object.entries(vintageNames) as [Vintages, [string, string]][]).map(([kind, [name, meaning]]) => (
        <label key={kind} title={meaning}>
          <input type="radio" name="vintages" checked={kind === vintages} onChange={() => onChange(kind)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  )
}

const counted = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'value' : 'values'}`

// One text node, so that a growing number does not move the words after it.
function wordsOf(read: number, count: number, isByTime: boolean): string {
  const part = read < count ? `${read.toLocaleString('en')} of ${counted(count)} read` : counted(count)
  return `${part}, ${isByTime ? 'each at the time of its attestation' : 'by period'}, in UTC`
}

/** How much of the histories has been read, and a button to read the rest. */
function ReadProgress({ pasts, isByTime }: { pasts: readonly Past[]; isByTime: boolean }) {
  const fault = pasts.find(({ history }) => history.fault !== null)?.history.fault ?? null
  const isNothing = pasts.every(({ history }) => history.items.length === 0)
  const read = pasts.reduce((sum, { history }) => sum + history.read, 0)
  const count = pasts.reduce((sum, { history }) => sum + (history.count ?? 0), 0)
  const isReading = pasts.some(({ history }) => history.isReading)
  const readAll = (): void => {
    for (const { feed } of pasts) readHistory(feed.feed_id, Number.POSITIVE_INFINITY)
  }
  if (fault !== null && fault.status !== 503 && isNothing) return <Fault fault={fault} />
  return (
    <div class="reading" role="status">
      {fault !== null && (
        <p>
          {fault.status === 503
            ? 'The server is still reading this history from the chain: '
            : 'Not all values could be read: '}
          <Text text={fault.reason} />
        </p>
      )}
      {fault === null && isReading && read === 0 && <p>Reading the history …</p>}
      {count > 0 && (
        <p>
          {wordsOf(read, count, isByTime)}
          {read < count && isReading && <progress max={count} value={read} aria-label="Values read" />}
          {read < count && !isReading && (
            <button type="button" class="is-quiet" onClick={readAll}>
              Read all
            </button>
          )}
        </p>
      )}
    </div>
  )
}
