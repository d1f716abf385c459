import { formatUtc } from '@wattfeed/eia'
import { useState } from 'preact/hooks'
import type { FeedHistory, HistoryItem } from '../../data/feedHistory.ts'
import type { FeedReading } from '../../data/readings.ts'
import { formatAmount } from '../../format/amount.ts'
import { limitOnScreen } from '../../ui/paper.ts'
import { RootSigners } from '../../ui/signedRoot.tsx'
import { Fault, Loading } from '../../ui/states.tsx'
import { Code } from '../../ui/text.tsx'
import { Period } from '../../ui/time.tsx'

/** More than a week of roots that are attested daily. */
const PAGE = 12
/** Digits of a root and an ellipsis. */
const SHOWN_ROOT = 11

/** The roots of a dataset, newest first. A click shows who signed one. */
export function RootsTable({
  feed,
  history: { items, count, fault },
}: {
  feed: FeedReading
  history: FeedHistory
}) {
  const [wanted, setWanted] = useState(PAGE)
  const [opened, setOpened] = useState<number | null>(null)
  const limit = limitOnScreen(wanted)
  const path = `/v1/feeds/${encodeURIComponent(feed.feed_id)}/history`
  if (items.length === 0)
    return fault === null ? <Loading what="the roots" lines={6} /> : <Fault fault={fault} />
  return (
    <section aria-labelledby="roots-title">
      <h2 id="roots-title">Roots</h2>
      <table class="values roots">
        <caption class="visually-hidden">Roots, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Newest period</th>
            <th scope="col" class="is-number">
              Values
            </th>
            <th scope="col">Root</th>
            <th scope="col">Attested, UTC</th>
          </tr>
        </thead>
        <tbody>
          {items.slice(0, limit).map((item) => (
            <Root
              key={item.index}
              feed={feed}
              item={item}
              isOpened={opened === item.index}
              onToggle={() => setOpened(opened === item.index ? null : item.index)}
            />
          ))}
        </tbody>
      </table>
      <p class="files">
        {items.length > limit && (
          <button type="button" onClick={() => setWanted(wanted + PAGE)}>
            Show more
          </button>
        )}
        <span>{(count ?? items.length).toLocaleString('en')} in all:</span>
        <a href={path}>JSON</a>
        <a href={`${path}.csv`} download>
          CSV
        </a>
      </p>
    </section>
  )
}

interface RootProps {
  feed: FeedReading
  item: HistoryItem
  isOpened: boolean
  onToggle(): void
}

function Root({ feed, item, isOpened, onToggle }: RootProps) {
  const { index, period, amount, source_hash, attested_at, attester } = item
  return (
    <>
      <tr>
        <th scope="row">
          <Period of={feed} period={period} />
        </th>
        <td class="is-number">{formatAmount(amount, feed.decimals)}</td>
        <td>
          <Code text={source_hash} max={SHOWN_ROOT} />{' '}
          <button type="button" class="is-quiet" aria-expanded={isOpened} onClick={onToggle}>
            Who signed it<span class="visually-hidden">: root number {index + 1}</span>
          </button>
        </td>
        <td>{formatUtc(attested_at).replace(' UTC', '')}</td>
      </tr>
      {isOpened && (
        <tr class="signers-row">
          <td colSpan={4}>
            <RootSigners feedId={feed.feed_id} index={index} attester={attester} />
          </td>
        </tr>
      )}
    </>
  )
}
