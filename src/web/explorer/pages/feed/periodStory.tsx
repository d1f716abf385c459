import { describePeriod } from '@wattfeed/eia'
import { useEffect, useRef, useState } from 'preact/hooks'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { columnDecimals } from '../../../cite/columnDecimals.ts'
import { address } from '../../address.ts'
import type { HistoryItem } from '../../data/feedHistory.ts'
import type { FeedReading } from '../../data/readings.ts'
import { useAnswer } from '../../data/resource.ts'
import { CopyableKey } from '../../ui/copyable.tsx'
import { Fact } from '../../ui/fact.tsx'
import { limitOnScreen } from '../../ui/paper.ts'
import { Empty, Fault, Loading } from '../../ui/states.tsx'
import { Moment } from '../../ui/time.tsx'
import { Value } from '../../ui/value.tsx'
import { Print } from './print.tsx'
import { changeWords, labelPrints } from './printWords.ts'

const shape = shapeOf('historyPageBody')

const STORY_ID = 'period'

/** Returns the address of a period's story on the current page. */
export function periodHref(period: number): string {
  const query = new URLSearchParams(address.value.query)
  query.set('period', String(period))
  return `?${query}#${STORY_ID}`
}

export interface PeriodStoryProps {
  feed: FeedReading
  period: number
  /** Undefined until it is loaded. */
  chainName: string | undefined
  onClose(): void
}

/** All that the chain has about a period: its first print, its revisions, when they were attested, and who signed them. */
export function PeriodStory({ feed, period, chainName, onClose }: PeriodStoryProps) {
  const path = `/v1/feeds/${encodeURIComponent(feed.feed_id)}/history?period_from=${period}&period_to=${period}&limit=1000`
  const { answer, fault, reload } = useAnswer(path, shape, { revision: feed.updated_at })
  const { heading, close } = useFocus(onClose)
  const { words } = describePeriod(feed, period)
  return (
    <section
      class="story"
      id={STORY_ID}
      aria-labelledby="story-title"
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <div class="story-head">
        <h2 id="story-title" ref={heading} tabIndex={-1}>
          {words.slice(0, 1).toUpperCase()}
          {words.slice(1)}
        </h2>
        <a href={periodHref(period)}>Link to this period</a>
        <button type="button" class="is-quiet" onClick={close}>
          Close
        </button>
      </div>
      {answer === null && fault !== null && <Fault fault={fault} retry={reload} />}
      {answer === null && fault === null && <Loading what="the period" lines={4} />}
      {answer !== null && answer.items.length === 0 && (
        <Empty title="The chain has no value of this period." />
      )}
      {answer !== null && answer.items.length > 0 && (
        <Prints feed={feed} items={answer.items} hasMore={answer.next !== null} chainName={chainName} />
      )}
    </section>
  )
}

/** Moves the focus to the story when the reader opens it, and back when the reader closes it. */
function useFocus(onClose: () => void) {
  const heading = useRef<HTMLHeadingElement>(null)
  const opener = useRef(document.activeElement)
  useEffect(() => {
    const isOpened = opener.current !== null && opener.current !== document.body
    if (isOpened || location.hash === `#${STORY_ID}`) heading.current?.focus()
  }, [])
  const close = (): void => {
    onClose()
    if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus()
  }
  return { heading, close }
}

interface PrintsProps {
  feed: FeedReading
  /** Oldest first; at least one. */
  items: readonly HistoryItem[]
  hasMore: boolean
  chainName: string | undefined
}

/** With more prints, the ones between the first and these newest are hidden at first. */
const NEWEST_SHOWN = 5

function Prints({ feed, items, hasMore, chainName }: PrintsProps) {
  const [isWhole, setWhole] = useState(false)
  const kinds = labelPrints(items)
  const shownDecimals = decimalsOfPrints(feed, items)
  const hidden = isWhole ? 0 : Math.max(0, items.length - 1 - limitOnScreen(NEWEST_SHOWN))
  return (
    <>
      <Summary feed={feed} items={items} />
      <Attesters items={items} />
      <ol class="prints">
        {items.map((item, index) =>
          index > 0 && index <= hidden ? null : (
            <Print
              key={item.index}
              feed={feed}
              item={item}
              kind={kinds[index] ?? ''}
              before={items[index - 1]}
              shownDecimals={shownDecimals}
              chainName={chainName}
            />
          ),
        )}
      </ol>
      {hidden > 0 && (
        <button type="button" onClick={() => setWhole(true)}>
          Show {hidden} more between the first print and the newest
        </button>
      )}
      {hasMore && <p class="hint">These are the first 1,000. The downloads have all of them.</p>}
    </>
  )
}

const decimalsOfPrints = ({ decimals }: FeedReading, items: readonly HistoryItem[]): number =>
  columnDecimals(items.map(({ amount }) => ({ amount, decimals })))

const timesWords = (times: number): string =>
  ['once', 'twice'][times - 1] ?? `${times.toLocaleString('en')} times`

/** The first print, the number of revisions, and the change since. */
function Summary({ feed, items }: Pick<PrintsProps, 'feed' | 'items'>) {
  const [first] = items
  const newest = items.at(-1)
  if (first === undefined || newest === undefined) return null
  const { revision } = newest
  return (
    <p class="story-summary">
      First attested as <Value of={{ ...feed, amount: first.amount }} /> on <Moment ms={first.attested_at} />.{' '}
      {revision === 0 ? (
        'It has not been revised.'
      ) : (
        <>
          Revised {timesWords(revision)} since: now <Value of={{ ...feed, amount: newest.amount }} />,{' '}
          {changeWords(first, newest, feed)}.
        </>
      )}
    </p>
  )
}

/** Who attested the prints. The keys that signed are in each print, because the server must look for them. */
function Attesters({ items }: Pick<PrintsProps, 'items'>) {
  const [attester = '', ...others] = new Set(items.map((item) => item.attester))
  return (
    <dl class="pairs story-attester">
      <Fact name={others.length === 0 ? 'Attester' : 'Attesters'}>
        {others.length === 0 ? (
          <CopyableKey text={attester} label="the attester" />
        ) : (
          `${others.length + 1}; each print names its own`
        )}
      </Fact>
    </dl>
  )
}
