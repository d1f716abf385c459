import { useMemo } from 'preact/hooks'
import { formatUtc } from '../../../eia/moment.ts'
import { Chart, type ChartLine } from '../../chart/chart.tsx'
import type { Vintages } from '../../chart/lines.ts'
import type { Range } from '../../chart/range.ts'
import type { FeedHistory } from '../../data/feedHistory.ts'
import { readHistory } from '../../data/feedHistory.ts'
import type { FeedReading } from '../../data/readings.ts'
import { formatAmount } from '../../format/amount.ts'
import { MAX_TITLE, MAX_UNIT, showText } from '../../format/untrusted.ts'
import { Fault } from '../../ui/states.tsx'
import { FeedLink, FeedTitle, Text, Unit } from '../../ui/text.tsx'
import { Moment, Period } from '../../ui/time.tsx'
import { Compare, type LeftOut } from './compare.tsx'
import type { Past, usePasts } from './past.ts'
import { dayOf, endOfDay, type View } from './view.ts'

export interface HistoryProps {
  view: View
  change(parts: Partial<View>): void
  past: ReturnType<typeof usePasts>
  /** All feeds that can be compared. */
  feeds: readonly FeedReading[]
  leftOut: readonly LeftOut[]
}

export const TABLE_ID = 'values-table'

export function HistorySection({
  view,
  change,
  past: { pasts, lines, vintages },
  feeds,
  leftOut,
}: HistoryProps) {
  const [own] = pasts
  const named = JSON.stringify(pasts.map(({ feed: { title, unit } }) => [title, unit]))
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
      <Reading pasts={pasts} isByTime={vintages === 'all'} />
      <Compare
        pasts={pasts}
        feeds={feeds}
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

interface AsOfProps {
  history: FeedHistory
  asOf: number | null
  onChange(asOf: number | null): void
}

/** Shows the history as of an earlier time: a slider with a stop for each block with a value, and a date field. */
function AsOf({ history: { items }, asOf, onChange }: AsOfProps) {
  const moments = useMemo(() => momentsOf(items), [items])
  const last = Math.max(0, moments.length - 1)
  const place =
    asOf === null
      ? last
      : Math.max(
          0,
          moments.findLastIndex((moment) => moment <= asOf),
        )
  const words = asOf === null ? 'now' : formatUtc(asOf)
  return (
    <div class="as-of">
      <label class="as-of-slider">
        <span class="label">As of</span>
        <input
          type="range"
          min={0}
          max={last}
          value={place}
          disabled={moments.length < 2}
          aria-valuetext={words}
          onInput={({ currentTarget: { valueAsNumber } }) =>
            onChange(valueAsNumber === last ? null : (moments[valueAsNumber] ?? null))
          }
        />
      </label>
      <label class="as-of-day">
        <span class="label">End of the day, UTC</span>
        <input
          type="date"
          min={dayOf(moments[0])}
          max={dayOf(moments.at(-1))}
          value={dayOf(asOf ?? undefined)}
          disabled={moments.length < 2}
          onChange={({ currentTarget: { value } }) => onChange(endOfDay(value, Date.now()))}
        />
      </label>
      <p class="as-of-words">
        {asOf === null ? 'now' : <Moment ms={asOf} />}
        <button type="button" class="is-quiet" hidden={asOf === null} onClick={() => onChange(null)}>
          Back to now
        </button>
      </p>
    </div>
  )
}

function momentsOf(items: FeedHistory['items']): readonly number[] {
  const moments = new Set<number>()
  for (const { attested_at } of items) moments.add(attested_at)
  return [...moments].reverse()
}

const counted = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'value' : 'values'}`

// One text node, so that a growing number does not move the words after it.
function wordsOf(read: number, count: number, isByTime: boolean): string {
  const part = read < count ? `${read.toLocaleString('en')} of ${counted(count)} read` : counted(count)
  return `${part}, ${isByTime ? 'each at the time of its attestation' : 'by period'}, in UTC`
}

/** Progress of reading the histories, and a button to read the rest. */
function Reading({ pasts, isByTime }: { pasts: readonly Past[]; isByTime: boolean }) {
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
