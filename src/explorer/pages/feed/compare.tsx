import { useState } from 'preact/hooks'
import type { FeedReading } from '../../data/readings.ts'
import { showText } from '../../format/untrusted.ts'
import { FeedTitle, Text } from '../../ui/text.tsx'
import { select } from '../feeds/selection.ts'
import type { Past } from './past.ts'
import { MAX_COMPARED } from './view.ts'

/** A chart has two sides for scales. */
const MAX_UNITS = 2
const MAX_FOUND = 6
const MAX_UNIT = 24
const MAX_TITLE = 120

export interface CompareProps {
  pasts: readonly Past[]
  feeds: readonly FeedReading[]
  /** Ids, of which some may be of no feed. */
  compared: readonly string[]
  onChange(compared: readonly string[]): void
}

/** Chooses the feeds that are drawn in the same chart. */
export function Compare({ pasts, feeds, compared, onChange }: CompareProps) {
  const [words, setWords] = useState('')
  const [said, setSaid] = useState('')
  const shown = pasts.map(({ feed }) => feed.feed_id)
  const units = [...new Set(pasts.map(({ feed }) => feed.unit))]
  const found = words.trim() === '' ? [] : find(feeds, words, shown)
  const add = ({ feed_id, unit }: FeedReading): void => {
    const isThird = units.length >= MAX_UNITS && !units.includes(unit)
    setSaid(
      isThird ? `A chart has room for two units, and shows ${units.join(' and ')}: remove a feed first.` : '',
    )
    if (isThird) return
    setWords('')
    onChange([...compared, feed_id])
  }
  const remove = (id: string): void => {
    setSaid('')
    onChange(compared.filter((each) => each !== id))
  }
  return (
    <div class="compare">
      {pasts.length > 1 && (
        <ul class="chips">
          {pasts.slice(1).map(({ feed }) => (
            <li key={feed.feed_id}>
              <FeedTitle feed={feed} />
              <button
                type="button"
                class="is-quiet"
                aria-label={`Remove ${showText(feed.title, MAX_TITLE)}`}
                onClick={() => remove(feed.feed_id)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {compared.length < MAX_COMPARED && (
        <label>
          <span class="label">Compare with</span>
          <input
            type="search"
            placeholder="another feed …"
            autocomplete="off"
            spellcheck={false}
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        </label>
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
                  <Text text={feed.unit} max={MAX_UNIT} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function find(feeds: readonly FeedReading[], words: string, shown: readonly string[]): FeedReading[] {
  const found = select(feeds, { words, family: null, order: 'registered' }, null)
  return found.filter(({ feed_id }) => !shown.includes(feed_id)).slice(0, MAX_FOUND)
}
