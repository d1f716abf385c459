import { useMemo } from 'preact/hooks'
import { address, replaceQuery, useDraft } from '../../address.ts'
import { families, OTHER_FAMILY } from '../../data/families.ts'
import { type FeedReading, readings, reloadReadings, type UnreadableFeed } from '../../data/readings.ts'
import { statuses } from '../../data/statuses.ts'
import { formatAmount } from '../../format/amount.ts'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/searchField.tsx'
import { Empty, Fault, Loading, Stale } from '../../ui/states.tsx'
import { FeedTable } from './feedTable.tsx'
import { countFamilies, DEFAULT_ORDER, orders, type Selection, select, selectionOf } from './selection.ts'

/** The live list of all feeds, with search, filter and order. */
export function FeedsPage() {
  const { feeds, unreadable, fault, heardAt, isLive } = readings.value
  return (
    <Page title="Feeds">
      <p class="lead">
        US energy statistics, attested on the Casper blockchain. Your own browser can{' '}
        <a href="/explorer/how">verify every value</a>, without trusting this server.
      </p>
      {feeds !== null && fault !== null && heardAt !== null && <Stale fault={fault} heardAt={heardAt} />}
      {feeds === null && fault !== null && <Fault fault={fault} retry={reloadReadings} />}
      {feeds === null && fault === null && <Loading what="the feeds" lines={12} />}
      {feeds !== null && <Feeds feeds={feeds} unreadable={unreadable} isLive={isLive && fault === null} />}
    </Page>
  )
}

interface FeedsProps {
  feeds: readonly FeedReading[]
  unreadable: readonly UnreadableFeed[]
  isLive: boolean
}

function Feeds({ feeds, unreadable, isLive }: FeedsProps) {
  const [selection, change] = useSelection()
  const { answer } = statuses.state.value
  const byId = useMemo(() => answer && new Map(answer.feeds.map((each) => [each.feed_id, each])), [answer])
  const shown = useMemo(() => select(feeds, selection, byId), [feeds, selection, byId])
  if (feeds.length === 0)
    return (
      <Empty title="No feed is registered yet, or none has a value.">
        <p>
          <code>bun run feeds --help</code> explains how to register and attest. This page shows new feeds
          immediately.
        </p>
      </Empty>
    )
  return (
    <>
      <Controls feeds={feeds} selection={selection} change={change} />
      <p class="count">
        <span role="status">
          {shown.length === feeds.length ? '' : `${grouped(shown.length)} of `}
          {`${grouped(feeds.length)} feeds`}
        </span>
        {isLive && <span class="live">live</span>}
      </p>
      {shown.length === 0 ? (
        <Empty title="No feed matches.">
          <button type="button" onClick={() => change({ words: '', family: null })}>
            Show all feeds
          </button>
        </Empty>
      ) : (
        <FeedTable feeds={shown} unreadable={unreadable} statuses={byId} />
      )}
    </>
  )
}

const grouped = (count: number): string => formatAmount(String(count), 0)

interface ControlsProps {
  feeds: readonly FeedReading[]
  selection: Selection
  change(parts: Partial<Selection>): void
}

function Controls({ feeds, selection: { words, family, order }, change }: ControlsProps) {
  const counts = useMemo(() => countFamilies(feeds), [feeds])
  return (
    <search class="controls">
      <SearchField
        label="Search"
        placeholder="diesel, storage, $/bbl …"
        value={words}
        onChange={(words) => change({ words })}
      />
      <label>
        <span>Family</span>
        <select
          value={family ?? ''}
          onChange={({ currentTarget }) => change({ family: currentTarget.value || null })}
        >
          <option value="">All ({feeds.length})</option>
          {counts.map(([each, count]) => (
            <option key={each} value={each}>
              {each === OTHER_FAMILY ? 'Other' : families.get(each)} ({count})
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Order</span>
        <select
          value={order}
          onChange={({ currentTarget }) => change({ order: currentTarget.value as Selection['order'] })}
        >
          {Object.entries(orders).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </search>
  )
}

function useSelection(): [Selection, (parts: Partial<Selection>) => void] {
  const { query } = address.value
  const [selection, change] = useDraft(
    query.toString(),
    (text) => selectionOf(new URLSearchParams(text)),
    ({ words, family, order }) =>
      replaceQuery({ q: words, family, sort: order === DEFAULT_ORDER ? null : order }),
  )
  return [selection, (parts) => change((last) => ({ ...last, ...parts }))]
}
