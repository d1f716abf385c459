import { useState } from 'preact/hooks'
import { isDatasetFeed } from 'wattfeed/internal'
import type { FeedReading } from '../../data/readings.ts'
import { MAX_TITLE, showText } from '../../format/untrusted.ts'
import { SearchField } from '../../ui/searchField.tsx'
import { FeedId, FeedTitle, Text, Unit } from '../../ui/text.tsx'
import { DEFAULT_ORDER, select } from '../feeds/selection.ts'
import type { Past } from './past.ts'
import { MAX_COMPARED } from './view.ts'

/** A chart has room for two scales, one on each side. */
const MAX_UNITS = 2
const MAX_FOUND = 6

/** A feed of the address that the chart does not show. */
export interface LeftOut {
  readonly id: string
  /** Why, as the rest of a sentence that starts with the id. */
  readonly reason: string
}

/**
 * Finds the feeds that an address compares with a feed. Returns that feed and them, and the ids that are left out.
 *
 * @param feeds null if they could not be read; then only the feed itself is shown
 */
export function comparedFeeds(
  feed: FeedReading,
  feeds: readonly FeedReading[] | null,
  ids: readonly string[],
): { shown: readonly FeedReading[]; leftOut: readonly LeftOut[] } {
  const shown = [feed]
  const leftOut: LeftOut[] = []
  for (const id of feeds === null ? [] : ids) {
    const other = feeds?.find(({ feed_id }) => feed_id === id)
    const reason = whyLeftOut(other, shown)
    if (reason !== null) leftOut.push({ id, reason })
    else if (other !== undefined) shown.push(other)
  }
  return { shown, leftOut }
}

function whyLeftOut(feed: FeedReading | undefined, shown: readonly FeedReading[]): string | null {
  if (feed === undefined) return 'is not registered on this chain, or has no value yet'
  if (shown[0]?.feed_id === feed.feed_id) return 'is the feed of this page'
  if (isDatasetFeed(feed)) return 'has roots of a dataset, which are no statistic'
  if (shown.length > MAX_COMPARED) return `does not fit: a chart has room for ${MAX_COMPARED + 1} feeds`
  return isThirdUnit(feed, unitsOf(shown)) ? 'has a third unit: a chart has room for two' : null
}

const unitsOf = (feeds: readonly { unit: string }[]): readonly string[] => [
  ...new Set(feeds.map(({ unit }) => unit)),
]

const isThirdUnit = ({ unit }: FeedReading, units: readonly string[]): boolean =>
  units.length >= MAX_UNITS && !units.includes(unit)

export interface CompareProps {
  pasts: readonly Past[]
  feeds: readonly FeedReading[]
  /** Ids from the address, which may be unknown. */
  compared: readonly string[]
  leftOut: readonly LeftOut[]
  onChange(compared: readonly string[]): void
}

/** The feeds that the chart shows besides the page's own, and a search for others. */
export function Compare({ pasts, feeds, compared, leftOut, onChange }: CompareProps) {
  const [words, setWords] = useState('')
  const [said, setSaid] = useState('')
  const shown = pasts.map(({ feed }) => feed.feed_id)
  const units = unitsOf(pasts.map(({ feed }) => feed))
  const found = words.trim() === '' ? [] : find(feeds, words, shown)
  const [first] = found
  const add = (feed: FeedReading): void => {
    if (isThirdUnit(feed, units)) {
      setSaid(`A chart has room for two units and shows ${units.join(' and ')}. Remove a feed first.`)
      return
    }
    setSaid('')
    setWords('')
    onChange([...compared, feed.feed_id])
  }
  const remove = (id: string): void => {
    setSaid('')
    onChange(compared.filter((each) => each !== id))
  }
  return (
    <div class="compare">
      {pasts.length + leftOut.length > 1 && (
        <ul class="chips">
          {pasts.slice(1).map(({ feed }) => (
            <li key={feed.feed_id}>
              <FeedTitle feed={feed} />
              <RemoveButton name={feed.title} onClick={() => remove(feed.feed_id)} />
            </li>
          ))}
          {leftOut.map(({ id, reason }) => (
            <li key={id} class="is-left-out">
              <span>
                <FeedId id={id} /> {reason}
              </span>
              <RemoveButton name={id} onClick={() => remove(id)} />
            </li>
          ))}
        </ul>
      )}
      {compared.length < MAX_COMPARED && (
        <SearchField
          label="Compare with"
          placeholder="another feed …"
          value={words}
          onChange={setWords}
          onEnter={() => first !== undefined && add(first)}
        />
      )}
      <p class="compare-said" role="status">
        {said !== '' && <Text text={said} />}
        {said === '' && words.trim() !== '' && found.length === 0 && 'No other feed matches.'}
      </p>
      {found.length > 0 && (
        <ul class="found">
          {found.map((feed) => (
            <li key={feed.feed_id}>
              <button type="button" onClick={() => add(feed)}>
                <FeedTitle feed={feed} />{' '}
                <span class="unit">
                  <Unit text={feed.unit} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function RemoveButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <button
      type="button"
      class="is-quiet"
      aria-label={`Remove ${showText(name, MAX_TITLE)}`}
      onClick={onClick}
    >
      ×
    </button>
  )
}

function find(feeds: readonly FeedReading[], words: string, shown: readonly string[]): FeedReading[] {
  const found = select(feeds, { words, family: null, order: DEFAULT_ORDER }, null)
  return found.filter(({ feed_id }) => !shown.includes(feed_id)).slice(0, MAX_FOUND)
}
